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
# holder one creates the next link. A link that this machine has let go of may still be read as its own: it begins after it.
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

# voter: the etcd member of this machine votes and is healthy.
voter() {
	local members
	members=$(etcd member list) && grep -q "https://$IP:2380,.*false$" <<<"$members" && etcd endpoint health >/dev/null 2>&1
}
