set -euo pipefail
umask 077
MINOR=${VERSION%.*}
# ROOT is empty on a node; the simulation sets it.
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

# wait_for WHAT TRIES SECONDS COMMAND: until COMMAND succeeds, TRIES times at most.
wait_for() {
	local what=$1 tries=$2 pause=$3
	shift 3
	for (( ; tries > 0; tries--)); do
		if "$@"; then return 0; fi
		sleep "$pause"
	done
	die "$what: gave up"
}

# get NAME: a parameter's value; 1 if there is none, 2 if nobody can tell. In a trap return alone would be what came before it.
get() {
	aws ssm get-parameter --name "$PREFIX$1" --with-decryption --query Parameter.Value --output text 2>"$RUN/error" && return 0
	if grep -q ParameterNotFound "$RUN/error"; then return 1; fi
	cat "$RUN/error" >&2
	return 2
}

# put NAME TYPE [--no-overwrite]: stdin becomes the value, through a file: argv is public. 1 if it is there already.
put() {
	printf %s "$(cat)" >"$RUN/value"
	aws ssm put-parameter --name "$PREFIX$1" --type "$2" --value "file://$RUN/value" \
		--tier Intelligent-Tiering "${3---overwrite}" >"$RUN/out" 2>"$RUN/error" && return 0
	if grep -q ParameterAlreadyExists "$RUN/error"; then return 1; fi
	cat "$RUN/error" >&2
	return 2
}

# redact takes out bootstrap tokens, certificate keys and hashes.
redact() { sed -E 's/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/***/g; s/\b[0-9a-f]{64}\b/***/g; /PRIVATE KEY/d'; }

# plain leaves what a parameter may have: ASCII, without the braces that would name another parameter.
plain() { LC_ALL=C tr -cd '\n\t -z|~'; }

# quietly COMMAND: its output goes to a file first, and is shown without secrets.
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

# ended: the last act of up. A failed one says why in SSM, so that nobody waits for it in vain.
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
