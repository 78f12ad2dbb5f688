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

package executor

import (
	"context"
	"os"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Unsaved names the Secret or the file with a state that is nowhere else.
func (l *Local) Unsaved(ctx context.Context, c Cluster) (string, error) {
	if where, err := l.unsaved(ctx, c.Namespace, c); err != nil || where != "" {
		return where, err
	}
	return l.directory(c).unsaved(), nil
}

// Forget the record, and the run directory.
func (l *Local) Forget(ctx context.Context, c Cluster) error {
	if err := l.forget(ctx, c.Namespace, c); err != nil {
		return err
	}
	return errors.Wrap(os.RemoveAll(string(l.directory(c))), "cannot remove the run directory")
}

// ForgetReport removes the Secret with the report.
func (l *Local) ForgetReport(ctx context.Context, c Cluster) error {
	return l.forgetReport(ctx, c.Namespace, c)
}
