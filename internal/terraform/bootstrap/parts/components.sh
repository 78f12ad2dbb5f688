apply() { quietly here apply --server-side --force-conflicts -f "$1"; }

calico() {
	curl -sSfL -m 120 -o "$RUN/calico" "$CALICO_URL" && sha256sum --quiet -c <<<"$CALICO_SHA256  $RUN/calico" || return 1
	# Always: without it EC2 would have to let packets of pods pass between machines of a subnet.
	sed -e '/name: CALICO_IPV4POOL_VXLAN/{n;s/CrossSubnet/Always/}' -e 's/# - name: CALICO_IPV4POOL_CIDR/- name: CALICO_IPV4POOL_CIDR/' \
		-e "s|#   value: \"192.168.0.0/16\"|  value: \"$POD_CIDR\"|" "$RUN/calico" >"$RUN/calico.yaml"
	apply "$RUN/calico.yaml"
}

publish() {
	cp "$KUBE/admin.conf" "$RUN/kubeconfig"
	if (($(wc -c <"$RUN/kubeconfig") > 4096)); then
		gzip -9nc "$KUBE/admin.conf" | base64 -w0 >"$RUN/kubeconfig"
	fi
	put kubeconfig SecureString <"$RUN/kubeconfig"
}
