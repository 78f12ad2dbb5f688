#!/bin/bash
# Makes this machine a first control plane of the Kubernetes cluster shop-eu.
# The same text with comments: internal/terraform/bootstrap/parts of provider-kubeopera.
ROLE='first-control-plane'
CLOUD_NAME='shop-eu'
REGION='eu-central-1'
PREFIX='/kubeopera/shop-eu/'
VERSION='1.36.2'
PAUSE='120'
POD_CIDR='10.244.0.0/16'
SERVICE_CIDR='10.96.0.0/12'
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
shutdownGracePeriod: 90s
shutdownGracePeriodCriticalPods: 30s
END
}
init() {
if [[ -e $STATE/initialized ]]; then return; fi
local again=() code=0
get join/ca >"$RUN/ca.crt" || code=$?
if [[ $code == 0 ]]; then die 'there is a cluster already: its first control plane cannot be replaced'; fi
if [[ $code != 1 ]]; then die 'SSM does not tell whether there is a cluster already'; fi
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
