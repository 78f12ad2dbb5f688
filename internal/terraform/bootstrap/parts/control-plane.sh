report() {
	if [[ -n ${HELD-} ]]; then
		reset
		release
	fi
	printf %s "$1" | put "join/failure/$INSTANCE" String
}

# gone: EC2 says that the instance was terminated, or has forgotten it (an hour later). Nothing less lets go of a lock.
gone() {
	local state
	if ! state=$(aws ec2 describe-instances --instance-ids "$1" --query 'Reservations[].Instances[].State.Name' \
		--output text 2>"$RUN/error"); then
		grep -q InvalidInstanceID.NotFound "$RUN/error"
		return
	fi
	[[ $state == terminated ]]
}

# acquire tries to take the lock, which is a chain: lock/1, lock/2, … Each link is created once, and written again only
# by its holder, when it lets go. So what was read stays true however old it is, and of all who take over from a dead
# holder one creates the next link.
LOCK=1
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
	printf '%s released' "$INSTANCE" | put "lock/$HELD" String
	HELD=
}

# voter: the etcd member of this machine votes and is healthy.
voter() {
	local members
	members=$(etcd member list) && grep -q "https://$IP:2380,.*false$" <<<"$members" && etcd endpoint health >/dev/null 2>&1
}

# ask makes a token and a certificate key, which live for two hours at most, and has a control plane install them.
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
	step 'waiting for the lock'
	wait_for 'the lock' 540 10 acquire
	step "kubeadm join of control plane $INDEX"
	wait_for 'kubeadm join' 3 30 try_join
	wait_for 'the etcd member does not vote' 60 5 voter
	release
	systemctl enable --now kubeopera-keep.timer
	aws ssm delete-parameter --name "${PREFIX}join/failure/$INSTANCE" 2>/dev/null || true
}
