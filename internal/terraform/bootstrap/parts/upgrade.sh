# Upgrades the control plane of this machine, and with the last one what the cluster gets with VERSION. It may be killed at any
# line: the machine starts it again, and what is left to do is found out anew.
WANTED=$2

# report: also those who wait for the lock see it, and stop. When it is over nobody wants to know.
report() {
	look
	if [[ -z $OVER ]]; then
		printf '%s\n%s\n%s\n%s' "$WANTED" "${CLASS:-Dependency}" "${NODE:-$INSTANCE}" "$1" | put upgrade/failure String || return 1
	fi
	settle
}

# settle: this machine has done with WANTED, but for a node that is still cordoned.
settle() {
	if [[ -n ${HELD-} ]]; then release || return 1; fi
	printf %s "$WANTED" >"$STATE/upgraded"
	if [[ ! -e $STATE/cordoned ]]; then rm -f "$STATE/upgrading"; fi
}

# step: who holds the lock tells the run, too, that it comes further.
step() {
	STEP=$1
	log "$1"
	if [[ -n ${HELD-} ]]; then
		printf '%s\n%s' "$WANTED" "$((ALL - OLD)) of $ALL, $NODE: $1" | put upgrade/progress String || true
	fi
}

# look finds out whether it is OVER: nobody wants it any more, or another machine has failed.
OVER=
look() {
	local value code=0
	value=$(get upgrade/wanted) || code=$?
	if [[ $code == 0 && $value == "$WANTED" ]]; then
		OVER=
		value=$(get upgrade/failure) || code=$?
		if [[ $code == 0 && ${value%%$'\n'*} == "$WANTED" ]]; then OVER=1; fi
	elif [[ $code -lt 2 ]]; then
		OVER=1
	fi
	[[ $code -lt 2 ]]
}
over() { look && [[ -n $OVER ]]; }

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

# joined: no control plane is about to join, for kubeadm joins only one of its own version. Number 0 never is: it is the first
# one, or a machine in its place.
LATE=90
joined() {
	local ips ip nodes
	if over; then return; fi
	ips=$(aws ec2 describe-instances --filters "Name=tag-key,Values=kubernetes.io/cluster/$CLOUD_NAME" \
		"Name=tag:Name,Values=$CLOUD_NAME-control-plane-*" Name=instance-state-name,Values=pending,running \
		--query "Reservations[].Instances[?!contains(Tags[].Value,'$CLOUD_NAME-control-plane-0')][].PrivateIpAddress" --output text) &&
		nodes=$(planes) || return 1
	for ip in $ips; do
		if ! grep -qF " $ip v" <<<"$nodes"; then
			if ((--LATE < 1)); then die "control plane $ip has not joined the cluster"; fi
			log "$ip has not joined"
			return 1
		fi
	done
}

# turn waits for the lock: as long as its holders come further, and less than the run would wait.
turn() {
	local now seen='' tries=130
	step 'waiting for the lock'
	until acquire; do
		now=$(get upgrade/progress) || true
		if [[ $now != "$seen" ]]; then tries=130; fi
		seen=$now
		if ((--tries < 1)); then die 'the lock: gave up'; fi
		sleep 10
	done
	wait_for 'the API server does not tell the nodes' 10 5 count
	wait_for 'SSM does not tell what is wanted' 10 5 look
}

# ask_for KIND/NAME: THERE is whether somebody has taken it away.
ask_for() { THERE=$(here -n kube-system get "$1" --ignore-not-found -o name); }
pods() { POD_CIDR=$(configuration | sed -nE 's/^ +podSubnet: "?([0-9./]+)"?$/\1/p') && [[ -n $POD_CIDR ]]; }

# cluster makes what nodes run of the cluster's own what a new cluster of VERSION would have.
cluster() {
	step 'cloud controller manager'
	wait_for 'the API server' 10 5 ask_for daemonset/aws-cloud-controller-manager
	if [[ -n $THERE ]]; then
		cloud_controller_manager >"$RUN/ccm.yaml"
		wait_for 'applying the cloud controller manager' 10 5 apply "$RUN/ccm.yaml"
	fi
	step 'Calico'
	wait_for 'the API server' 10 5 ask_for daemonset/calico-node
	if [[ -n $THERE ]]; then
		wait_for "kubeadm's configuration has no podSubnet" 10 5 pods
		wait_for 'applying Calico' 10 10 calico
	fi
	# kubeadm has renewed the certificates.
	step 'publishing the kubeconfig'
	publish
	printf %s "$VERSION" | put version String
}

# upgrade: who has upgraded itself stays until all have, so that somebody ends what a machine that dies leaves.
upgrade() {
	if [[ ${WANTED% *} != "$VERSION" ]] && ! over; then return; fi
	trap ended EXIT
	trap 'STOPPED=1; exit 143' TERM INT
	identity
	printf %s "$WANTED" >"$STATE/upgrading"
	wait_for 'the API server is not ready' 120 5 ready
	step 'waiting until all control planes have joined'
	wait_for 'nobody tells whether all control planes have joined' 100 10 joined
	turn
	if [[ -n $OVER ]]; then
		wait_for 'the node cannot be uncordoned' 10 5 uncordon
	elif ! { complete && finished; }; then
		step upgrading
		node
		wait_for 'the API server does not tell the nodes' 10 5 count
		step upgraded
	fi
	wait_for 'the lock cannot be released' 10 5 release
	step 'waiting for the other control planes'
	wait_for 'not all control planes were upgraded' 720 10 others
	if [[ -z $OVER ]] && ! complete; then
		turn
		if [[ -z $OVER ]] && ! complete; then cluster; fi
	fi
	wait_for 'the lock cannot be released' 10 5 settle
	log 'done'
}

rm -rf "$RUN"
mkdir -p "$RUN"
"$VERB"
