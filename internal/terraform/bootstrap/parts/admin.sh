kube() { kubectl --kubeconfig "$KUBE/admin.conf" --request-timeout 30s "$@"; }
# here asks the API server of this machine.
here() { kube --server https://127.0.0.1:6443 "$@"; }
ready() { here get --raw /readyz >/dev/null; }

etcd() {
	local id
	id=$(crictl ps -q --state Running --name '^etcd$') && [[ -n $id ]] || return 1
	crictl exec "${id%%$'\n'*}" etcdctl --endpoints https://127.0.0.1:2379 --cacert /etc/kubernetes/pki/etcd/ca.crt \
		--cert /etc/kubernetes/pki/etcd/server.crt --key /etc/kubernetes/pki/etcd/server.key "$@"
}

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

# prune IP MEMBERS: removes those members of etcd that a joining node at IP, or a terminated instance, left behind. Only
# the holder of the lock may be a learner, and it has not joined yet.
prune() {
	local live id name peer learner
	live=$(aws ec2 describe-instances --filters "Name=tag-key,Values=kubernetes.io/cluster/$CLOUD_NAME" \
		Name=instance-state-name,Values=pending,running,stopping,stopped,shutting-down \
		--query 'Reservations[].Instances[].PrivateIpAddress' --output text | tr '\t' '\n')
	if ! grep -qxF "$IP" <<<"$live"; then die "EC2 does not tell of $IP by its tag kubernetes.io/cluster/$CLOUD_NAME"; fi
	while IFS=, read -r id _ name peer _ learner; do
		peer=${peer#*//}
		peer=${peer%:*}
		if [[ $peer == "$1" || $learner == *true ]] || ! grep -qxF "$peer" <<<"$live"; then
			log "removing the etcd member $id ($name at $peer)"
			etcd member remove "$id"
		fi
	done <<<"$2"
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

# keep is what a timer runs on each control plane.
keep() {
	local name value asked='' answered='' expires=0
	aws ssm get-parameters --names "$PREFIX"join/{asked,answered,worker-expires} \
		--query 'Parameters[].[Name,Value]' --output text >"$RUN/seen"
	while IFS=$'\t' read -r name value; do
		case $name in
		*/asked) asked=$value ;;
		*/answered) answered=$value ;;
		*/worker-expires) expires=$value ;;
		esac
	done <"$RUN/seen"
	if [[ $asked != "$answered" ]]; then answer "$asked"; fi
	if ((expires - $(date +%s) < 43200)); then renew; fi
}
