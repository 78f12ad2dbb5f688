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

# live finds out the addresses of all machines that are not terminated. That of this machine tells that EC2 tells of them.
live() {
	LIVE=$(aws ec2 describe-instances --filters "Name=tag-key,Values=kubernetes.io/cluster/$CLOUD_NAME" \
		Name=instance-state-name,Values=pending,running,stopping,stopped,shutting-down \
		--query 'Reservations[].Instances[].PrivateIpAddress' --output text | tr '\t' '\n')
	if ! grep -qxF "$IP" <<<"$LIVE"; then die "EC2 does not tell of $IP by its tag kubernetes.io/cluster/$CLOUD_NAME"; fi
}

# prune IP MEMBERS: removes those members of etcd that a joining node at IP, or a terminated instance, left behind. Only
# the holder of the lock may be a learner, and it has not joined yet.
prune() {
	local id name peer learner
	live
	while IFS=, read -r id _ name peer _ learner; do
		peer=${peer#*//}
		peer=${peer%:*}
		if [[ $peer == "$1" || $learner == *true ]] || ! grep -qxF "$peer" <<<"$LIVE"; then
			log "removing the etcd member $id ($name at $peer)"
			etcd member remove "$id"
		fi
	done <<<"$2"
}
