packages() {
	dnf install -y --disableexcludes=kubernetes awscli-2 containerd conntrack-tools ethtool iproute-tc iptables-nft socat \
		"kubelet-$VERSION" "kubeadm-$VERSION" "kubectl-$VERSION"
}

# machine makes the machine one that kubeadm accepts.
machine() {
	if [[ -e $STATE/machine ]]; then return; fi
	step 'preparing the machine'
	cd "$ROOT/etc"
	mkdir -p modules-load.d sysctl.d systemd/networkd.conf.d containerd
	printf '%s\n' overlay br_netfilter >modules-load.d/kubeopera.conf
	modprobe -a overlay br_netfilter
	printf 'net.%s = 1\n' ipv4.ip_forward bridge.bridge-nf-call-iptables bridge.bridge-nf-call-ip6tables \
		>sysctl.d/99-kubeopera.conf
	sysctl --system >/dev/null
	swapoff -a
	sed -i '/\sswap\s/d' fstab
	# networkd would remove the routes and rules of Calico.
	printf '[Network]\nManageForeignRoutes=no\nManageForeignRoutingPolicyRules=no\n' \
		>systemd/networkd.conf.d/kubeopera.conf
	chmod 644 systemd/networkd.conf.d/kubeopera.conf
	systemctl try-restart systemd-networkd

	step 'installing packages'
	repository
	wait_for packages 5 20 quietly packages
	containerd config default | sed 's/SystemdCgroup = false/SystemdCgroup = true/' >containerd/config.toml
	echo 'runtime-endpoint: unix:///run/containerd/containerd.sock' >crictl.yaml
	systemctl enable --now containerd
	systemctl enable kubelet
	cd /
	touch "$STATE/machine"
}

registration() {
	cat <<-END
		nodeRegistration:
		  name: $NODE
		  criSocket: unix:///run/containerd/containerd.sock
		  kubeletExtraArgs:
		  - {name: cloud-provider, value: external}
		  - {name: provider-id, value: "aws:///$ZONE/$INSTANCE"}
	END
}
