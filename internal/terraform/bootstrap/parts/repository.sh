# repository has what VERSION pins, and excludes it from all other updates. A patch of today is seen, and an outage is an error
# of its own, not a patch that there is not.
repository() {
	mkdir -p "$ROOT/etc/yum.repos.d"
	cat >"$ROOT/etc/yum.repos.d/kubernetes.repo" <<-END
		[kubernetes]
		name=Kubernetes
		baseurl=https://pkgs.k8s.io/core:/stable:/v$MINOR/rpm/
		gpgcheck=1
		gpgkey=https://pkgs.k8s.io/core:/stable:/v$MINOR/rpm/repodata/repomd.xml.key
		metadata_expire=1m
		skip_if_unavailable=0
		exclude=kubelet kubeadm kubectl cri-tools kubernetes-cni
	END
}
