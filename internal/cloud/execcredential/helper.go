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

package execcredential

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// timeout bounds everything. kubectl itself waits for as long as we do.
const timeout = 30 * time.Second

// A Helper is a credential plugin: a program that writes one token.
type Helper struct {
	// Name of the program.
	Name string
	// Flags declares what it takes.
	Flags func(*flag.FlagSet)
	// Token makes one, after the flags were read. The zero time means that
	// nobody knows when it expires.
	Token func(context.Context) (token string, expires time.Time, err error)
}

// Main is all that the program does. It exits with 1 if there is no token.
func (h Helper) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := h.Run(ctx, os.Args[1:], os.Getenv(InfoEnv), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", h.Name, err)
		stop()
		os.Exit(1) //nolint:gocritic // Everything deferred is done.
	}
}

// Run writes a token to out, and nothing else; help and mistakes go to log.
// info is the value of InfoEnv.
func (h Helper) Run(ctx context.Context, args []string, info string, out, log io.Writer) error {
	flags := flag.NewFlagSet(h.Name, flag.ContinueOnError)
	flags.SetOutput(log)
	h.Flags(flags)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if flags.NArg() > 0 {
		return errors.New("no other arguments are taken: see --help")
	}
	version, err := APIVersion(info)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	token, expires, err := h.Token(ctx)
	if err != nil {
		return err
	}
	return Write(out, version, token, expires)
}
