#!/bin/bash
# Makes this machine a control plane of the Kubernetes cluster shop-eu.
# The same text with comments: internal/terraform/bootstrap/parts of provider-kubeopera.
ROLE='control-plane'
CLOUD_NAME='shop-eu'
REGION='eu-central-1'
PREFIX='/kubeopera/shop-eu/'
VERSION='1.36.2'
PAUSE='300'
INDEX='2'

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

packages() {
dnf install -y --disableexcludes=kubernetes awscli-2 containerd conntrack-tools ethtool iproute-tc iptables-nft socat \
"kubelet-$VERSION" "kubeadm-$VERSION" "kubectl-$VERSION"
}
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

random() { od -An -v -tx1 -N"$1" /dev/urandom | tr -d ' \n'; }
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
renew() {
local id secret
id=$(random 3)
secret=$(random 8)
install_token "$id" "$secret" 24
printf %s "$id.$secret" | put join/worker SecureString
date -d '+24 hours' +%s | put join/worker-expires String
}
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
start_upgrade() {
local wanted=$1
if [[ -z $wanted ]]; then wanted=$(cat "$STATE/upgrading" 2>/dev/null) || return; fi
if [[ $1 == "$(cat "$STATE/upgraded" 2>/dev/null)" && -n $1 ]] || systemctl is-active -q kubeopera-upgrade; then return; fi
if [[ -n $1 ]]; then
get upgrade/script | base64 -d | gunzip >"$RUN/script" && install -m 700 "$RUN/script" "$SELF-upgrade" || return
fi
systemd-run -q --collect -u kubeopera-upgrade "$SELF-upgrade" upgrade "$wanted"
}
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

joinable() {
get join/ca >"$RUN/ca.crt" && return
local failure
if failure=$(get failure); then die "the first control plane failed: ${failure%%$'\n'*}"; fi
return 1
}
served() {
local version code=0
version=$(get version) || code=$?
if [[ $code != 0 ]]; then
[[ $code == 1 ]] || grep -q AccessDenied "$RUN/error"
return
fi
version=${version%% *}
version=${version%.*}
((${version#*.} >= ${MINOR#*.}))
}
join() {
cat >"$RUN/discovery.conf" <<-END
apiVersion: v1
kind: Config
clusters: [{name: it, cluster: {server: "https://$ENDPOINT", certificate-authority-data: $(base64 -w0 "$RUN/ca.crt")}}]
contexts: [{name: it, context: {cluster: it, user: ""}}]
current-context: it
END
{
cat <<-END
apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
discovery:
  file: {kubeConfigPath: $RUN/discovery.conf}
  tlsBootstrapToken: $1
$(registration)
END
cat
} >"$RUN/join.yaml"
quietly timeout 900 kubeadm join --config "$RUN/join.yaml"
}
reset() {
if [[ -e $KUBE/kubelet.conf || -e $KUBE/pki || -e $KUBE/bootstrap-kubelet.conf ]]; then
quietly timeout 300 kubeadm reset --force || true
fi
rm -f "$STATE/joined"
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

report() {
if [[ -n ${HELD-} ]]; then
reset
release
fi
printf %s "$1" | put "join/failure/$INSTANCE" String
}
ask() {
NONCE=$(random 8)
TOKEN=$(random 3).$(random 8)
KEY=$(random 32)
printf '%s\n' "$NONCE" "$IP" "$TOKEN" "$KEY" | put join/request SecureString &&
printf %s "$NONCE" | put join/asked String || return 1
wait_for 'no control plane answers' 90 10 answered
}
answered() { [[ $(get join/answered) == "$NONCE" ]]; }
try_join() {
if [[ -e $STATE/joined ]]; then return; fi
reset
ask || return 1
join "$TOKEN" <<-END || return 1
controlPlane:
  localAPIEndpoint: {advertiseAddress: $IP}
  certificateKey: $KEY
END
touch "$STATE/joined"
}
bootstrap() {
quietly kubeadm config images pull --kubernetes-version "v$VERSION" || true
step 'waiting for the first control plane'
wait_for 'the first control plane' 180 10 joinable
wait_for 'the control planes are older than this machine' 540 10 served
step 'waiting for the lock'
wait_for 'the lock' 540 10 acquire
step "kubeadm join of control plane $INDEX"
wait_for 'kubeadm join' 3 30 try_join
wait_for 'the etcd member does not vote' 60 5 voter
release
systemctl enable --now kubeopera-keep.timer
aws ssm delete-parameter --name "${PREFIX}join/failure/$INSTANCE" 2>/dev/null || true
}

step() {
STEP=$1
log "$1"
}
has_endpoint() { ENDPOINT=$(get endpoint); }
up() {
if [[ -e $STATE/done ]]; then return; fi
trap ended EXIT
trap 'STOPPED=1; exit 143' TERM INT
identity
machine
step 'waiting for the endpoint'
wait_for "${PREFIX}endpoint" 90 10 has_endpoint
bootstrap
touch "$STATE/done"
log 'done'
}
unit() { install -m 644 /dev/stdin "$ROOT/etc/systemd/system/kubeopera-$1"; }
install_self() {
mkdir -p "$ROOT/etc/systemd/system" "${SELF%/*}"
install -m 700 "$0" "$SELF"
unit node.service <<-END
[Unit]
Description=Makes this machine a node of $CLOUD_NAME
Wants=network-online.target
After=network-online.target
ConditionPathExists=!$STATE/done
StartLimitIntervalSec=1d
StartLimitBurst=8
[Service]
Type=oneshot
ExecStart=$SELF up
Restart=on-failure
RestartSec=$PAUSE
StandardOutput=journal+console
StandardError=inherit
[Install]
WantedBy=multi-user.target
END
if [[ $ROLE != worker ]]; then
unit keep.service <<-END
[Unit]
Description=Answers joining nodes of $CLOUD_NAME
[Service]
Type=oneshot
ExecStart=$SELF keep
TimeoutStartSec=10min
END
unit keep.timer <<-END
[Timer]
OnBootSec=30s
OnUnitInactiveSec=30s
[Install]
WantedBy=timers.target
END
fi
systemctl daemon-reload
systemctl enable kubeopera-node.service
systemctl start --no-block kubeopera-node.service
}
rm -rf "$RUN"
mkdir -p "$RUN" "$STATE"
trap 'rm -rf "$RUN"' EXIT
case $VERB in
install) install_self ;;
*) "$VERB" ;;
esac
