# Upgrades the control plane of this machine, and with the last one what the cluster gets with VERSION. It may be killed at any
# line: the machine starts it again, and what is left to do is found out anew.
WANTED=$2

# report: also those who wait for the lock see it, and stop.
report() {
	printf '%s\n%s\n%s\n%s' "$WANTED" "${CLASS:-Dependency}" "${NODE:-$INSTANCE}" "$1" | put upgrade/failure String && settle
}

# settle: this machine has done with WANTED.
settle() {
	if [[ -n ${HELD-} ]]; then release; fi
	printf %s "$WANTED" >"$STATE/upgraded"
}

# tell TEXT: how far it is.
tell() { printf '%s\n%s' "$WANTED" "$1" | put upgrade/progress String; }

# over: nobody wants it any more, or another machine has failed.
over() {
	local code=0 wanted failure
	wanted=$(get upgrade/wanted) || code=$?
	if [[ $code -gt 1 ]]; then return 1; fi
	if [[ $wanted != "$WANTED" ]]; then return; fi
	failure=$(get upgrade/failure) || return 1
	[[ ${failure%%$'\n'*} == "$WANTED" ]]
}

# complete: nothing is left to do for anyone.
complete() { [[ $(get version) == "$VERSION" ]]; }

# planes: name, address and kubelet's version of each control plane.
planes() {
	here get nodes -l node-role.kubernetes.io/control-plane \
		-o 'jsonpath={range .items[*]}{.metadata.name} {.status.addresses[?(@.type=="InternalIP")].address} {.status.nodeInfo.kubeletVersion}{"\n"}{end}'
}

# count the control planes, and those that are not of VERSION.
count() {
	local nodes
	nodes=$(planes) || return 1
	ALL=$(wc -l <<<"$nodes")
	OLD=$(grep -vc " v$VERSION$" <<<"$nodes" || true)
}
others() { over || complete || { count && [[ $OLD == 0 ]]; }; }

# joined: no control plane is about to join, for kubeadm joins only one of its own version.
joined() {
	local ips ip nodes
	ips=$(aws ec2 describe-instances --filters "Name=tag-key,Values=kubernetes.io/cluster/$CLOUD_NAME" \
		"Name=tag:Name,Values=$CLOUD_NAME-control-plane-*" Name=instance-state-name,Values=pending,running \
		--query 'Reservations[].Instances[].PrivateIpAddress' --output text) && nodes=$(planes) || return 1
	for ip in $ips; do
		if ! grep -qF " $ip v" <<<"$nodes"; then
			log "$ip has not joined yet"
			return 1
		fi
	done
}

# there KIND/NAME: it is still ours to bring up to date.
there() { [[ -n $(here -n kube-system get "$1" --ignore-not-found -o name) ]]; }

# cluster makes what nodes run of the cluster's own what a new cluster of VERSION would have.
cluster() {
	step 'cloud controller manager'
	if there daemonset/aws-cloud-controller-manager; then
		cloud_controller_manager >"$RUN/ccm.yaml"
		wait_for 'applying the cloud controller manager' 10 5 apply "$RUN/ccm.yaml"
	fi
	step 'Calico'
	if there daemonset/calico-node; then
		POD_CIDR=$(configuration | sed -nE 's/^ +podSubnet: "?([0-9./]+)"?$/\1/p')
		wait_for 'applying Calico' 10 10 calico
	fi
	# kubeadm has renewed the certificates.
	step 'publishing the kubeconfig'
	publish
	printf %s "$VERSION" | put version String
}

# upgrade: who has upgraded itself stays until all have, so that somebody ends what a machine that dies leaves.
upgrade() {
	if [[ ${WANTED% *} != "$VERSION" ]]; then return; fi
	trap ended EXIT
	trap 'STOPPED=1; exit 143' TERM INT
	identity
	wait_for 'the API server is not ready' 120 5 ready
	step 'waiting until all control planes have joined'
	wait_for 'a control plane has not joined the cluster' 180 10 joined
	step 'waiting for the lock'
	wait_for 'the lock' 720 10 acquire
	if ! over && ! { complete && finished; }; then
		step "upgrading $NODE"
		count
		tell "$((ALL - OLD)) of $ALL, now $NODE"
		node
		count
		tell "$((ALL - OLD)) of $ALL"
	fi
	release
	step 'waiting for the other control planes'
	wait_for 'not all control planes were upgraded' 720 10 others
	if ! over && ! complete; then
		wait_for 'the lock' 720 10 acquire
		if ! complete; then cluster; fi
	fi
	settle
	log 'done'
}

rm -rf "$RUN"
mkdir -p "$RUN"
"$VERB"
