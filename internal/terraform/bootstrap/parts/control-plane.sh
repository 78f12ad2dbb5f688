report() {
	if [[ -n ${HELD-} ]]; then
		reset
		release
	fi
	printf %s "$1" | put "join/failure/$INSTANCE" String
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
