random() { od -An -v -tx1 -N"$1" /dev/urandom | tr -d ' \n'; }

# token ID SECRET HOURS: prints the Secret of a bootstrap token.
token() {
	cat <<-END
		apiVersion: v1
		kind: Secret
		metadata: {name: bootstrap-token-$1, namespace: kube-system}
		type: bootstrap.kubernetes.io/token
		stringData:
		  token-id: "$1"
		  token-secret: "$2"
		  expiration: "$(date -u -d "+$3 hours" +%FT%TZ)"
		  usage-bootstrap-authentication: "true"
		  usage-bootstrap-signing: "true"
		  auth-extra-groups: system:bootstrappers:kubeadm:default-node-token
	END
}
install_token() { token "$@" | here apply --server-side --force-conflicts -f - >/dev/null; }

# renew gives the workers a token of 24 hours.
renew() {
	local id secret
	id=$(random 3)
	secret=$(random 8)
	install_token "$id" "$secret" 24
	printf %s "$id.$secret" | put join/worker SecureString
	date -d '+24 hours' +%s | put join/worker-expires String
}

# answer NONCE: installs the token and the certificate key that a joining control plane asks for. It brings them itself,
# so that two answers are as good as one. Members are removed only as they were before anyone could join by this answer:
# there is no token yet, and the holder of the lock is still the one who asked.
answer() {
	local want id members known
	ready
	mapfile -t want <<<"$(get join/request)"
	if [[ ${want[0]} != "$1" ]]; then return; fi
	id=${want[2]%.*}
	IP=$(<"$STATE/ip")
	members=$(etcd member list)
	if [[ $(get join/asked) != "$1" ]]; then return; fi
	known=$(here -n kube-system get secret "bootstrap-token-$id" --ignore-not-found -o name)
	if [[ -z $known ]]; then prune "${want[1]}" "$members"; fi
	install_token "$id" "${want[2]#*.}" 1
	cat >"$RUN/certs.yaml" <<-END
		apiVersion: kubeadm.k8s.io/v1beta4
		kind: InitConfiguration
		certificateKey: ${want[3]}
		---
		apiVersion: kubeadm.k8s.io/v1beta4
		kind: ClusterConfiguration
		kubernetesVersion: v$VERSION
	END
	quietly kubeadm init phase upload-certs --upload-certs --skip-certificate-key-print --config "$RUN/certs.yaml"
	printf %s "$1" | put join/answered String
	log "answered ${want[1]}"
}

# start_upgrade WANTED starts what a run asks for, "<version> <id of the run>", unless it is going on or was done with: a script
# that the run brings, in a unit of its own, since it takes longer than the timer waits. If nothing is wanted, one that was cut
# off starts again, sees that, and lets go of the lock and of the node.
start_upgrade() {
	local wanted=$1
	if [[ -z $wanted ]]; then wanted=$(cat "$STATE/upgrading" 2>/dev/null) || return; fi
	if [[ $1 == "$(cat "$STATE/upgraded" 2>/dev/null)" && -n $1 ]] || systemctl is-active -q kubeopera-upgrade; then return; fi
	if [[ -n $1 ]]; then
		get upgrade/script | base64 -d | gunzip >"$RUN/script" && install -m 700 "$RUN/script" "$SELF-upgrade" || return
	fi
	systemd-run -q --collect -u kubeopera-upgrade "$SELF-upgrade" upgrade "$wanted"
}

# keep is what a timer runs on each control plane.
keep() {
	local name value asked='' answered='' wanted='' expires=0
	aws ssm get-parameters --names "$PREFIX"{join/{asked,answered,worker-expires},upgrade/wanted} \
		--query 'Parameters[].[Name,Value]' --output text >"$RUN/seen"
	while IFS=$'\t' read -r name value; do
		case $name in
		*/asked) asked=$value ;;
		*/answered) answered=$value ;;
		*/worker-expires) expires=$value ;;
		*/wanted) wanted=$value ;;
		esac
	done <"$RUN/seen"
	start_upgrade "$wanted" || true
	if [[ $asked != "$answered" ]]; then answer "$asked"; fi
	if ((expires - $(date +%s) < 43200)); then renew; fi
}
