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
	step 'kubeadm join'
	wait_for 'kubeadm join' 20 30 try_join
}
