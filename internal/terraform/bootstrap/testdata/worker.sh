#!/bin/bash
# Makes this machine a worker of the Kubernetes cluster shop-eu.
# The same text with comments: internal/terraform/bootstrap/parts of provider-kubeopera.
ROLE='worker'
CLOUD_NAME='shop-eu'
REGION='eu-central-1'
PREFIX='/kubeopera/shop-eu/'
VERSION='1.36.2'
PAUSE='300'

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

report() { log "$1"; }
try_join() {
local token
reset
token=$(get join/worker) || return 1
join "$token" </dev/null
}
bootstrap() {
step 'waiting for the first control plane'
wait_for 'the first control plane' 180 10 joinable
wait_for 'the control planes are older than this machine' 540 10 served
step 'kubeadm join'
wait_for 'kubeadm join' 20 30 try_join
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
