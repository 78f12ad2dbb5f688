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

package bootstrap

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Environment of a machine's processes.
const (
	envWorld   = "KUBEOPERA_WORLD"
	envMachine = "KUBEOPERA_MACHINE"
	envRoot    = "KUBEOPERA_ROOT"
	envUnit    = "KUBEOPERA_UNIT"
)

// standIns are the programs of a machine that the simulation takes the place
// of.
var standIns = []string{"aws", "containerd", "crictl", "curl", "dnf", "kubeadm", "kubectl", "modprobe", "swapoff", "sysctl", "systemctl", "systemd-run"}

// standIn hands its call to the world, and does what that answers. It is bash
// without a fork, since a simulation calls thousands.
const standIn = `#!/bin/bash
stdin='' header=''
for a; do
	case $a in
	-) IFS= read -r -d '' stdin ;;
	@/dev/fd/*) IFS= read -r -d '' header <"${a#@}" ;;
	esac
done
exec 9<>"/dev/tcp/$KUBEOPERA_WORLD" || exit 255
printf '%s\0' "$KUBEOPERA_MACHINE" "$KUBEOPERA_UNIT" "${0##*/}" "$stdin" "$header" "$#" "$@" >&9
IFS= read -r -d '' code <&9 || exit 255
IFS= read -r -d '' out <&9
IFS= read -r -d '' err <&9
printf %s "$out"
printf %s "$err" >&2
exit "$code"
`

// scripts stand in for programs that only pass time: a second takes 20 ms.
var scripts = map[string]string{
	"sleep":   "#!/bin/bash\nprintf -v s '%d.%03d' $(($1 * 20 / 1000)) $(($1 * 20 % 1000))\nexec /bin/sleep \"$s\"\n",
	"timeout": "#!/bin/bash\nshift\nexec \"$@\"\n",
}

// call is what a program of a machine was called with.
type call struct {
	Machine, Tool string
	Upgrade       bool   // it comes from the unit kubeopera-upgrade
	Stdin         string // with "-" among its arguments
	Header        string // what curl reads with -H @file
	Args          []string
}

// result is what it does.
type result struct {
	Out, Err string
	Code     int
}

// install writes the stand-ins into a folder for PATH.
func install(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	texts := map[string]string{}
	for _, name := range standIns {
		texts[name] = standIn
	}
	maps.Copy(texts, scripts)
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// listen answers stand-ins with do, whose context ends when a caller is killed.
// It returns the address, and what ends all calls.
func listen(t *testing.T, do func(context.Context, call) result) (string, func()) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go answer(ctx, conn, do)
		}
	}()
	return strings.Replace(l.Addr().String(), ":", "/", 1), func() {
		cancel()
		_ = l.Close() // Nobody calls any more.
	}
}

func answer(ctx context.Context, conn net.Conn, do func(context.Context, call) result) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	next := func() string {
		s, err := in.ReadString(0)
		if err != nil {
			return ""
		}
		return s[:len(s)-1]
	}
	c := call{Machine: next(), Upgrade: next() != "", Tool: next(), Stdin: next(), Header: next()}
	n, err := strconv.Atoi(next())
	if err != nil {
		return // It was killed before it had said what it wants.
	}
	for range n {
		c.Args = append(c.Args, next())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = in.ReadByte() // It says no more: this is its end.
		cancel()
	}()
	r := do(ctx, c)
	_, _ = fmt.Fprintf(conn, "%d\x00%s\x00%s\x00", r.Code, r.Out, r.Err) // As above.
}
