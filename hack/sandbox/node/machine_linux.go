/*
Copyright 2026 The provider-kubeopera Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// sysctls are global kernel settings that the kubelet insists on: it is shown these values, and the machine keeps its
// own.
func sysctls() map[string]string {
	return map[string]string{
		"vm/overcommit_memory":      "1",
		"vm/panic_on_oom":           "0",
		"kernel/panic":              "10",
		"kernel/panic_on_oops":      "1",
		"kernel/keys/root_maxkeys":  "1000000",
		"kernel/keys/root_maxbytes": "25000000",
	}
}

// mounts gives the node a file system of its own where the machine's would be written to.
func (n *inside) mounts(context.Context) error {
	// Nothing that is mounted here may show outside, but pods get what the kubelet mounts.
	for _, flag := range []uintptr{unix.MS_PRIVATE, unix.MS_SHARED} {
		if err := unix.Mount("", "/", "", flag|unix.MS_REC, ""); err != nil {
			return errors.Wrap(err, "cannot change the propagation of mounts")
		}
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return errors.Wrap(err, "cannot mount /proc")
	}
	// The state directory may lie below a directory that gets an overlay, which must not cover it.
	state, err := os.Open(n.Dir)
	if err != nil {
		return errors.Wrap(err, "cannot open the state directory")
	}
	defer state.Close()
	for _, dir := range []string{"/etc", "/var"} {
		if err := n.overlay(dir); err != nil {
			return err
		}
	}
	if err := unix.Mount(fmt.Sprintf("/proc/self/fd/%d", state.Fd()), n.Dir, "", unix.MS_BIND, ""); err != nil {
		return errors.Wrap(err, "cannot mount the state directory")
	}
	if err := unix.Mount("tmpfs", "/run", "tmpfs", 0, "mode=755"); err != nil {
		return errors.Wrap(err, "cannot mount /run")
	}
	// An overlay cannot carry the overlays of containers.
	for _, name := range []string{"containerd", "kubelet"} {
		if err := bindDir(filepath.Join(n.Dir, name), "/var/lib/"+name); err != nil {
			return err
		}
	}
	for _, dir := range []string{"/run/netns", "/run/lock", "/etc/cni/net.d"} {
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return errors.Wrap(err, "cannot make a directory")
		}
	}
	for name, value := range sysctls() {
		if err := n.fake(name, value); err != nil {
			return err
		}
	}
	// With this a program that Enter runs resolves Services.
	_ = os.Remove("/etc/resolv.conf")
	return errors.Wrap(os.WriteFile("/etc/resolv.conf", []byte("nameserver "+dnsIP+"\n"), 0o600), "cannot write resolv.conf")
}

// overlay keeps writes to a directory of the machine in the state directory.
func (n *inside) overlay(dir string) error {
	layers := []string{"lowerdir=" + dir}
	for _, layer := range []string{"upperdir", "workdir"} {
		path := filepath.Join(n.Dir, "overlay", layer, dir)
		if err := os.MkdirAll(path, 0o755); err != nil { //nolint:gosec // the mode of the directory that it covers
			return errors.Wrap(err, "cannot make a directory")
		}
		layers = append(layers, layer+"="+path)
	}
	return errors.Wrapf(unix.Mount("overlay", dir, "overlay", 0, strings.Join(layers, ",")), "cannot mount an overlay over %s", dir)
}

func bindDir(from, to string) error {
	for _, dir := range []string{from, to} {
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return errors.Wrap(err, "cannot make a directory")
		}
	}
	return errors.Wrapf(unix.Mount(from, to, "", unix.MS_BIND, ""), "cannot mount %s", to)
}

// fake covers a kernel setting with a file.
func (n *inside) fake(name, value string) error {
	file := filepath.Join(n.Dir, "sysctl", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return errors.Wrap(err, "cannot make a directory")
	}
	if err := os.WriteFile(file, []byte(value+"\n"), 0o600); err != nil {
		return errors.Wrap(err, "cannot write a kernel setting's stand-in")
	}
	return errors.Wrapf(unix.Mount(file, "/proc/sys/"+name, "", unix.MS_BIND, ""), "cannot cover sysctl %s", name)
}

// network gives the node its address and a default route. They sit on a veth pair, both ends in the node: not every
// kernel has dummy interfaces.
func (n *inside) network(ctx context.Context) error {
	if err := unix.Sethostname([]byte(nodeName)); err != nil {
		return errors.Wrap(err, "cannot set the host name")
	}
	for _, args := range []string{
		"link set lo up",
		"link add node0 type veth peer name node0p",
		"link set node0p up",
		"addr add " + IP + "/24 dev node0",
		"link set node0 up",
		"route add default via 10.200.0.1 dev node0",
	} {
		if err := run(ctx, "ip", strings.Fields(args)...); err != nil {
			return err
		}
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644); err != nil { //nolint:gosec // a kernel file
		return errors.Wrap(err, "cannot let the node forward packets")
	}
	// Without the bridge module the file is not there, and then bridged packets never skip iptables' way back.
	err := os.WriteFile("/proc/sys/net/bridge/bridge-nf-call-iptables", []byte("1"), 0o644) //nolint:gosec // a kernel file
	if err != nil && !os.IsNotExist(err) {
		return errors.Wrap(err, "cannot show bridged packets to iptables")
	}
	return nil
}
