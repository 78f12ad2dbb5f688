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
