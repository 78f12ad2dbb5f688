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

# unit NAME: a systemd unit, which anyone may read.
unit() { install -m 644 /dev/stdin "$ROOT/etc/systemd/system/kubeopera-$1"; }

# install_self: cloud-init runs user data once; systemd tries again, also after a reboot.
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
