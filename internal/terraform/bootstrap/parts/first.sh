report() { printf %s "$1" | put failure String; }

init_config() {
	cat <<-END
		apiVersion: kubeadm.k8s.io/v1beta4
		kind: InitConfiguration
		localAPIEndpoint: {advertiseAddress: $IP}
		timeouts: {kubernetesAPICall: 5m0s}
		$(registration)
		---
		apiVersion: kubeadm.k8s.io/v1beta4
		kind: ClusterConfiguration
		clusterName: $CLOUD_NAME
		kubernetesVersion: v$VERSION
		controlPlaneEndpoint: "$ENDPOINT"
		# Small enough for a parameter of 4,096 bytes.
		encryptionAlgorithm: ECDSA-P256
		certificateValidityPeriod: 43800h0m0s
		networking: {podSubnet: "$POD_CIDR", serviceSubnet: "$SERVICE_CIDR"}
		apiServer:
		  certSANs: ["${ENDPOINT%:*}", "$IP", 127.0.0.1]
		controllerManager:
		  extraArgs:
		  - {name: cloud-provider, value: external}
		  - {name: allocate-node-cidrs, value: "false"}
		---
		apiVersion: kubelet.config.k8s.io/v1beta1
		kind: KubeletConfiguration
		cgroupDriver: systemd
		# A machine that goes ends its pods first.
		shutdownGracePeriod: 90s
		shutdownGracePeriodCriticalPods: 30s
	END
}

init() {
	if [[ -e $STATE/initialized ]]; then return; fi
	local again=() code=0
	# Where another machine was the first, kubeadm init would make a second cluster of the same name.
	get join/ca >"$RUN/ca.crt" || code=$?
	if [[ $code == 0 ]]; then die 'there is a cluster already: its first control plane cannot be replaced'; fi
	if [[ $code != 1 ]]; then die 'SSM does not tell whether there is a cluster already'; fi
	# A run that was cut off left its files and pods, which are taken up.
	if [[ -e $KUBE/manifests/kube-apiserver.yaml ]]; then again=(--ignore-preflight-errors=all); fi
	step 'kubeadm init'
	init_config >"$RUN/init.yaml"
	quietly kubeadm init --config "$RUN/init.yaml" --upload-certs --skip-certificate-key-print --skip-token-print "${again[@]}"
	touch "$STATE/initialized"
}

initialized() {
	local taints
	taints=$(here get node "$NODE" -o 'jsonpath={.spec.taints[*].key}') && [[ $taints != *uninitialized* ]]
}
node_ready() { [[ $(here get node "$NODE" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}') == True ]]; }

readable() { kube get --raw /readyz >/dev/null; }

bootstrap() {
	init
	wait_for 'the API server' 60 5 ready
	step 'cloud controller manager'
	cloud_controller_manager >"$RUN/ccm.yaml"
	wait_for 'applying the cloud controller manager' 10 5 apply "$RUN/ccm.yaml"
	wait_for 'the cloud controller manager has not initialized the node' 60 5 initialized
	step 'Calico'
	wait_for 'applying Calico' 10 10 calico
	wait_for 'the node is not Ready under Calico' 60 5 node_ready
	step "waiting for $ENDPOINT"
	wait_for "the API server at $ENDPOINT" 60 5 readable
	step 'letting others join'
	printf %s "$VERSION" | put version String
	renew
	put join/ca String <"$KUBE/pki/ca.crt"
	step 'publishing the kubeconfig'
	publish
	systemctl enable --now kubeopera-keep.timer
	aws ssm delete-parameter --name "${PREFIX}failure" 2>/dev/null || true
}
