# joinable: the first control plane lets others join, or has said that it never will.
joinable() {
	get join/ca >"$RUN/ca.crt" && return
	local failure
	if failure=$(get failure); then die "the first control plane failed: ${failure%%$'\n'*}"; fi
	return 1
}

# served: no control plane is older than this machine's kubelet would be. A cluster that lets others join without a version was
# made before there was one; where the right to read it is missing nobody can tell.
served() {
	local version code=0
	version=$(get version) || code=$?
	if [[ $code != 0 ]]; then
		[[ $code == 1 ]] || grep -q AccessDenied "$RUN/error"
		return
	fi
	version=${version%% *}
	version=${version%.*}
	((${version#*.} >= ${MINOR#*.}))
}

# join TOKEN: kubeadm join, with stdin as more of the configuration.
join() {
	cat >"$RUN/discovery.conf" <<-END
		apiVersion: v1
		kind: Config
		clusters: [{name: it, cluster: {server: "https://$ENDPOINT", certificate-authority-data: $(base64 -w0 "$RUN/ca.crt")}}]
		contexts: [{name: it, context: {cluster: it, user: ""}}]
		current-context: it
	END
	{
		cat <<-END
			apiVersion: kubeadm.k8s.io/v1beta4
			kind: JoinConfiguration
			discovery:
			  file: {kubeConfigPath: $RUN/discovery.conf}
			  tlsBootstrapToken: $1
			$(registration)
		END
		cat
	} >"$RUN/join.yaml"
	quietly timeout 900 kubeadm join --config "$RUN/join.yaml"
}

# reset undoes what a join left half done.
reset() {
	if [[ -e $KUBE/kubelet.conf || -e $KUBE/pki || -e $KUBE/bootstrap-kubelet.conf ]]; then
		quietly timeout 300 kubeadm reset --force || true
	fi
	rm -f "$STATE/joined"
}
