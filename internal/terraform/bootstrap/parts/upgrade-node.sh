# allowed FROM: Kubernetes goes up, one minor version at a time. kubeadm would say so itself, in its own words.
allowed() {
	local minor patch to
	IFS=. read -r _ minor patch <<<"$1"
	IFS=. read -r _ _ to <<<"$VERSION"
	if ((${MINOR#*.} < minor || (${MINOR#*.} == minor && to < patch))); then
		invalid "Kubernetes cannot go back from $1 to $VERSION"
	fi
	if ((${MINOR#*.} > minor + 1)); then invalid "Kubernetes cannot skip from $1 to $VERSION"; fi
}

# invalid CAUSE: it will not be otherwise the next time, unless somebody asks for something else.
invalid() {
	CLASS=Invalid
	die "$1"
}

# get_packages NAME…: of VERSION.
get_packages() {
	local try
	step "installing $* $VERSION"
	for try in 20 40 60 80 100; do
		if quietly dnf install -y --disableexcludes=kubernetes "${@/%/-$VERSION}"; then return; fi
		if grep -q 'No match for argument' "$RUN/log"; then invalid "pkgs.k8s.io has no Kubernetes $VERSION"; fi
		sleep "$try"
	done
	die "cannot install $* $VERSION"
}

# kubeadm_upgrade apply|node ARGUMENT…: the cause is in its own words.
kubeadm_upgrade() {
	step "kubeadm upgrade $1"
	if quietly timeout 1500 kubeadm upgrade "$@"; then return; fi
	CAUSE=$({
		sed -nE 's/^[[:space:]]*\[ERROR ([^]]+)\]:? */kubeadm: \1: /p' "$RUN/log"
		sed -nE 's/^(error: )?error execution phase /kubeadm: /p' "$RUN/log"
		echo "kubeadm upgrade $1: failed"
	} | head -n 1 | redact)
	log "$CAUSE"
	return 1
}

# configuration of the cluster, as kubeadm keeps it.
configuration() { here -n kube-system get configmap kubeadm-config -o 'jsonpath={.data.ClusterConfiguration}'; }

# whole VERSIONS CONFIGURATION: no machine of etcd's members is gone, so that one may restart. Once an upgrade has begun it comes
# to its end with the others, for only then the machine is replaced. So it does without the first control plane, whose address
# is in the configuration's certSANs: no machine that takes its place joins.
whole() {
	local members peer
	live
	members=$(etcd member list)
	while IFS=, read -r _ _ _ peer _; do
		peer=${peer#*//}
		peer=${peer%:*}
		[[ $1 == *' '* ]] || grep -qwF "$peer" <<<"$LIVE $2" ||
			die "control plane $peer is gone: set kubernetesVersion back to $1, and it is replaced"
	done <<<"$members"
	prune '' "$members"
}

# healthy: all members of etcd are, so that it has its majority also while one restarts. kubeadm upgrade node does not look.
healthy() { etcd endpoint health --cluster >/dev/null 2>&1; }

# control_plane makes the control plane of this machine one of VERSION. The first machine changes the cluster as well. That
# this may have begun is told before, since from then on there is no way back, and taken back if kubeadm has only looked.
control_plane() {
	local config from told again=''
	config=$(configuration)
	from=$(sed -n 's/^kubernetesVersion: v//p' <<<"$config")
	if [[ -z $from ]]; then die "kubeadm's configuration has no version"; fi
	allowed "$from"
	told=$(get version)
	whole "$told" "$config"
	wait_for 'not all members of etcd are healthy' 60 5 healthy
	repository
	get_packages kubeadm
	if [[ -e $STATE/applying ]]; then again=1; fi
	if [[ $from == "$VERSION" && -z $again ]]; then
		kubeadm_upgrade node || exit 1
		return
	fi
	printf '%s %s' "${told%% *}" "$VERSION" | put version String
	touch "$STATE/applying"
	if ! kubeadm_upgrade apply --yes "v$VERSION"; then
		if [[ -z $again ]] && ! grep -qF '[upgrade/control-plane]' "$RUN/log"; then
			printf %s "$told" | put version String
			rm "$STATE/applying"
		fi
		exit 1
	fi
	rm "$STATE/applying"
}

# drain moves the pods away, if another node takes them. What a PodDisruptionBudget holds stays, and all of them where one has no
# controller, which nothing would start again elsewhere: they have to live with the kubelet's restart.
drain() {
	if ! here get nodes --no-headers | awk -v "me=$NODE" '$1 != me && $2 == "Ready" { n++ } END { exit !n }'; then
		log "no other node takes pods: $NODE is not drained"
		return
	fi
	if [[ $(here get node "$NODE" -o 'jsonpath={.spec.unschedulable}') != true ]]; then touch "$STATE/cordoned"; fi
	step "draining $NODE"
	quietly here drain "$NODE" --ignore-daemonsets --delete-emptydir-data --timeout 300s ||
		log "pods have stayed on $NODE: going on"
}

# uncordon, unless somebody else had cordoned the node.
uncordon() {
	if [[ ! -e $STATE/cordoned ]]; then return; fi
	quietly here uncordon "$NODE" && rm "$STATE/cordoned"
}

# current: the kubelet of this machine is one of VERSION, and Ready.
current() {
	[[ $(here get node "$NODE" -o 'jsonpath={.status.nodeInfo.kubeletVersion} {.status.conditions[?(@.type=="Ready")].status}') == "v$VERSION True" ]]
}

# finished: nothing is left to do on this machine.
finished() { current && [[ ! -e $STATE/applying && ! -e $STATE/cordoned ]] && grep -qx "VERSION='$VERSION'" "$SELF"; }

# node makes the whole machine one of VERSION. A kubelet of VERSION has a control plane of VERSION: it comes after it.
node() {
	if [[ -e $STATE/applying ]] || ! current; then
		control_plane
		wait_for 'the API server is not ready after its upgrade' 60 5 ready
		wait_for 'etcd is not healthy after its upgrade' 60 5 voter
		drain
		get_packages kubelet kubectl
		systemctl daemon-reload
		systemctl restart kubelet
		wait_for 'the node is not Ready with its new kubelet' 60 5 current
	fi
	wait_for 'the API server is not ready under its new kubelet' 60 5 ready
	wait_for 'etcd is not healthy under its new kubelet' 60 5 voter
	wait_for 'the node cannot be uncordoned' 10 5 uncordon
	# What the machine does from now on, it does with VERSION.
	sed "s/^VERSION='.*'$/VERSION='$VERSION'/" "$SELF" >"$SELF.new"
	chmod 700 "$SELF.new"
	mv -f "$SELF.new" "$SELF"
}
