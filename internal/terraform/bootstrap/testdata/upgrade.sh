#!/bin/bash
# Upgrades the control plane of this machine, one of the Kubernetes cluster shop-eu.
# The same text with comments: internal/terraform/bootstrap/parts of provider-kubeopera.
CLOUD_NAME='shop-eu'
REGION='eu-central-1'
PREFIX='/kubeopera/shop-eu/'
VERSION='1.36.2'
CCM_IMAGE='registry.k8s.io/provider-aws/cloud-controller-manager:v1.36.2'
CALICO_URL='https://raw.githubusercontent.com/projectcalico/calico/v3.32.1/manifests/calico-vxlan.yaml'
CALICO_SHA256='c2ab4f9a4ecde01d66e6f040d6745cd7f174d5ded573164c809ffb9f40a9d566'

set -euo pipefail
umask 077
MINOR=${VERSION%.*}
ROOT=${KUBEOPERA_ROOT-}
VERB=${1-install}
STATE=$ROOT/var/lib/kubeopera
RUN=$ROOT/run/kubeopera/$VERB
SELF=$ROOT/usr/local/sbin/kubeopera-node
KUBE=$ROOT/etc/kubernetes
INSTANCE=unknown
export AWS_DEFAULT_REGION=$REGION AWS_PAGER='' AWS_RETRY_MODE=standard AWS_MAX_ATTEMPTS=5
log() { echo "kubeopera: $*" >&2; }
die() {
CAUSE=$1
log "$1"
exit 1
}
wait_for() {
local what=$1 tries=$2 pause=$3
shift 3
for (( ; tries > 0; tries--)); do
if "$@"; then return 0; fi
sleep "$pause"
done
die "$what: gave up"
}
get() {
aws ssm get-parameter --name "$PREFIX$1" --with-decryption --query Parameter.Value --output text 2>"$RUN/error" && return 0
if grep -q ParameterNotFound "$RUN/error"; then return 1; fi
cat "$RUN/error" >&2
return 2
}
put() {
printf %s "$(cat)" >"$RUN/value"
aws ssm put-parameter --name "$PREFIX$1" --type "$2" --value "file://$RUN/value" \
--tier Intelligent-Tiering "${3---overwrite}" >"$RUN/out" 2>"$RUN/error" && return 0
if grep -q ParameterAlreadyExists "$RUN/error"; then return 1; fi
cat "$RUN/error" >&2
return 2
}
redact() { sed -E 's/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/***/g; s/\b[0-9a-f]{64}\b/***/g; /PRIVATE KEY/d'; }
plain() { LC_ALL=C tr -cd '\n\t -z|~'; }
quietly() {
local code=0
"$@" >"$RUN/log" 2>&1 || code=$?
redact <"$RUN/log" >&2
return "$code"
}
imds() {
curl -sSf -m 5 --retry 5 --retry-connrefused -H @<(printf 'X-aws-ec2-metadata-token: %s' "$IMDS") \
"http://169.254.169.254/latest/meta-data/$1"
}
identity() {
step 'reading the instance metadata'
IMDS=$(curl -sSf -m 5 --retry 5 --retry-connrefused -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 300' \
http://169.254.169.254/latest/api/token)
INSTANCE=$(imds instance-id)
ZONE=$(imds placement/availability-zone)
IP=$(imds local-ipv4)
NODE=$(imds local-hostname)
NODE=${NODE%% *}
printf %s "$IP" >"$STATE/ip"
log "$INSTANCE is $NODE at $IP in $ZONE"
}
ended() {
local code=$?
trap - EXIT
if [[ $code != 0 && -z ${STOPPED-} ]]; then
set +e
report "$({
echo "${CAUSE:-$STEP: failed}"
tail -n 20 "$RUN/log"
} 2>/dev/null | redact | plain | cut -c1-240 | head -c 2000)"
fi
rm -rf "$RUN"
exit "$code"
}

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

gone() {
local state
if ! state=$(aws ec2 describe-instances --instance-ids "$1" --query 'Reservations[].Instances[].State.Name' \
--output text 2>"$RUN/error"); then
grep -q InvalidInstanceID.NotFound "$RUN/error"
return
fi
[[ $state == terminated ]]
}
LOCK=$(cat "$STATE/lock" 2>/dev/null || echo 1)
acquire() {
local value code
while :; do
code=0
value=$(get "lock/$LOCK") || code=$?
if [[ $code == 1 ]]; then
printf '%s %(%s)T' "$INSTANCE" -1 | put "lock/$LOCK" String --no-overwrite || [[ $? == 1 ]] || return 1
value=$(get "lock/$LOCK") || return 1
elif [[ $code != 0 ]]; then
return 1
fi
if [[ $value != *released ]]; then
if [[ ${value% *} == "$INSTANCE" ]]; then
HELD=$LOCK
return
fi
gone "${value% *}" || return 1
fi
LOCK=$((LOCK + 1))
done
}
release() {
printf '%s released' "$INSTANCE" | put "lock/$HELD" String || return 1
echo $((HELD + 1)) >"$STATE/lock"
HELD=
}
voter() {
local members
members=$(etcd member list) && grep -q "https://$IP:2380,.*false$" <<<"$members" && etcd endpoint health >/dev/null 2>&1
}

kube() { kubectl --kubeconfig "$KUBE/admin.conf" --request-timeout 30s "$@"; }
here() { kube --server https://127.0.0.1:6443 "$@"; }
ready() { here get --raw /readyz >/dev/null; }
etcd() {
local id
id=$(crictl ps -q --state Running --name '^etcd$') && [[ -n $id ]] || return 1
crictl exec "${id%%$'\n'*}" etcdctl --endpoints https://127.0.0.1:2379 --cacert /etc/kubernetes/pki/etcd/ca.crt \
--cert /etc/kubernetes/pki/etcd/server.crt --key /etc/kubernetes/pki/etcd/server.key "$@"
}
live() {
LIVE=$(aws ec2 describe-instances --filters "Name=tag-key,Values=kubernetes.io/cluster/$CLOUD_NAME" \
Name=instance-state-name,Values=pending,running,stopping,stopped,shutting-down \
--query 'Reservations[].Instances[].PrivateIpAddress' --output text | tr '\t' '\n')
if ! grep -qxF "$IP" <<<"$LIVE"; then die "EC2 does not tell of $IP by its tag kubernetes.io/cluster/$CLOUD_NAME"; fi
}
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

cloud_controller_manager() {
cat <<-END
apiVersion: v1
kind: ServiceAccount
metadata: {name: cloud-controller-manager, namespace: kube-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: "cloud-controller-manager:apiserver-authentication-reader", namespace: kube-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: extension-apiserver-authentication-reader}
subjects: [{kind: ServiceAccount, name: cloud-controller-manager, namespace: kube-system}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: "system:cloud-controller-manager"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:cloud-controller-manager"}
subjects: [{kind: ServiceAccount, name: cloud-controller-manager, namespace: kube-system}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "system:cloud-controller-manager"}
rules:
- {apiGroups: [""], resources: [events], verbs: [create, patch, update]}
- {apiGroups: [""], resources: [nodes], verbs: ["*"]}
- {apiGroups: [""], resources: [nodes/status], verbs: [patch]}
- {apiGroups: [""], resources: [services, services/status], verbs: [list, patch, update, watch]}
- {apiGroups: [""], resources: [serviceaccounts], verbs: [create, get, list, watch]}
- {apiGroups: [""], resources: [serviceaccounts/token], verbs: [create]}
- {apiGroups: [""], resources: [persistentvolumes], verbs: [get, list, update, watch]}
- {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}
- {apiGroups: [""], resources: [endpoints], verbs: [create, get, list, watch, update]}
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create, get, list, watch, update]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: aws-cloud-controller-manager, namespace: kube-system}
spec:
  selector: {matchLabels: {k8s-app: aws-cloud-controller-manager}}
  template:
    metadata: {labels: {k8s-app: aws-cloud-controller-manager}}
    spec:
      hostNetwork: true
      priorityClassName: system-cluster-critical
      serviceAccountName: cloud-controller-manager
      nodeSelector: {node-role.kubernetes.io/control-plane: ""}
      tolerations: [{operator: Exists}]
      containers:
      - name: aws-cloud-controller-manager
        image: $CCM_IMAGE
        args: [--cloud-provider=aws, --cluster-name=$CLOUD_NAME, --configure-cloud-routes=false,
          --allocate-node-cidrs=false, --use-service-account-credentials=true]
        resources: {requests: {cpu: 100m, memory: 64Mi}}
END
}

apply() { quietly here apply --server-side --force-conflicts -f "$1"; }
calico() {
curl -sSfL -m 120 -o "$RUN/calico" "$CALICO_URL" && sha256sum --quiet -c <<<"$CALICO_SHA256  $RUN/calico" || return 1
sed -e '/name: CALICO_IPV4POOL_VXLAN/{n;s/CrossSubnet/Always/}' -e 's/# - name: CALICO_IPV4POOL_CIDR/- name: CALICO_IPV4POOL_CIDR/' \
-e "s|#   value: \"192.168.0.0/16\"|  value: \"$POD_CIDR\"|" "$RUN/calico" >"$RUN/calico.yaml"
apply "$RUN/calico.yaml"
}
publish() {
cp "$KUBE/admin.conf" "$RUN/kubeconfig"
if (($(wc -c <"$RUN/kubeconfig") > 4096)); then
gzip -9nc "$KUBE/admin.conf" | base64 -w0 >"$RUN/kubeconfig"
fi
put kubeconfig SecureString <"$RUN/kubeconfig"
}

allowed() {
local minor patch to
IFS=. read -r _ minor patch <<<"$1"
IFS=. read -r _ _ to <<<"$VERSION"
if ((${MINOR#*.} < minor || (${MINOR#*.} == minor && to < patch))); then
invalid "Kubernetes cannot go back from $1 to $VERSION"
fi
if ((${MINOR#*.} > minor + 1)); then invalid "Kubernetes cannot skip from $1 to $VERSION"; fi
}
invalid() {
CLASS=Invalid
die "$1"
}
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
configuration() { here -n kube-system get configmap kubeadm-config -o 'jsonpath={.data.ClusterConfiguration}'; }
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
healthy() { etcd endpoint health --cluster >/dev/null 2>&1; }
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
uncordon() {
if [[ ! -e $STATE/cordoned ]]; then return; fi
quietly here uncordon "$NODE" && rm "$STATE/cordoned"
}
current() {
[[ $(here get node "$NODE" -o 'jsonpath={.status.nodeInfo.kubeletVersion} {.status.conditions[?(@.type=="Ready")].status}') == "v$VERSION True" ]]
}
finished() { current && [[ ! -e $STATE/applying && ! -e $STATE/cordoned ]] && grep -qx "VERSION='$VERSION'" "$SELF"; }
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
sed "s/^VERSION='.*'$/VERSION='$VERSION'/" "$SELF" >"$SELF.new"
chmod 700 "$SELF.new"
mv -f "$SELF.new" "$SELF"
}

WANTED=$2
report() {
look
if [[ -z $OVER ]]; then
printf '%s\n%s\n%s\n%s' "$WANTED" "${CLASS:-Dependency}" "${NODE:-$INSTANCE}" "$1" | put upgrade/failure String || return 1
fi
settle
}
settle() {
if [[ -n ${HELD-} ]]; then release || return 1; fi
printf %s "$WANTED" >"$STATE/upgraded"
if [[ ! -e $STATE/cordoned ]]; then rm -f "$STATE/upgrading"; fi
}
step() {
STEP=$1
log "$1"
if [[ -n ${HELD-} ]]; then
printf '%s\n%s' "$WANTED" "$((ALL - OLD)) of $ALL, $NODE: $1" | put upgrade/progress String || true
fi
}
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
complete() { [[ $(get version) == "$VERSION" ]]; }
planes() {
here get nodes -l node-role.kubernetes.io/control-plane \
-o 'jsonpath={range .items[*]}{.metadata.name} {.status.addresses[?(@.type=="InternalIP")].address} {.status.nodeInfo.kubeletVersion}{"\n"}{end}'
}
count() {
local nodes
nodes=$(planes) || return 1
ALL=$(wc -l <<<"$nodes")
OLD=$(grep -vc " v$VERSION$" <<<"$nodes" || true)
}
others() { over || complete || { count && [[ $OLD == 0 ]]; }; }
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
ask_for() { THERE=$(here -n kube-system get "$1" --ignore-not-found -o name); }
pods() { POD_CIDR=$(configuration | sed -nE 's/^ +podSubnet: "?([0-9./]+)"?$/\1/p') && [[ -n $POD_CIDR ]]; }
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
step 'publishing the kubeconfig'
publish
printf %s "$VERSION" | put version String
}
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
