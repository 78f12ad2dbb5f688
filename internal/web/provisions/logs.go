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

package provisions

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/executor"
	"github.com/kubeopera/provider-kubeopera/internal/web/auth"
	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

const (
	// maxStream is how long a log is followed at most: a run takes 10 to 40
	// minutes. Then rights are checked anew.
	maxStream = time.Hour

	// writeTimeout is how long whoever reads may take to take a part of a log.
	writeTimeout = 30 * time.Second

	// maxTail is how many last lines may be asked for.
	maxTail = 100_000
)

// logs of the present or last run. Those may read them who may get
// provisionedclusters/log, as it is with pods: no right on the Jobs'
// namespace, where everybody's runs are, is needed.
func (a *API) logs(w http.ResponseWriter, r *http.Request, who auth.Identity) error {
	o, err := logOptions(r)
	if err != nil {
		return err
	}
	before, enough := context.WithTimeout(r.Context(), requestTimeout)
	defer enough()
	pc, err := a.find(r.WithContext(before), who, "get", "log")
	if err != nil {
		return err
	}
	if p := pc.Status.AtProvider.Place; p != nil && p.Mode == v1alpha1.ExecutionLocal {
		return reply.Errorf(http.StatusConflict, LogElsewhere,
			"the run is a child process of the provider: its log is the file %s/%s/run.log in the provider's --local-run-dir (~/.cache/kubeopera/runs by default)", pc.GetNamespace(), pc.GetName())
	}
	if p := a.pod(before, pc); p != nil && p.Spec.NodeName == "" {
		return notYet() // The API server would answer with an empty log.
	}
	give, err := a.streams.take(who.Username)
	if err != nil {
		return err
	}
	defer give()

	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(a.Stopping, cancel)() //nolint:contextcheck // This program ends, whatever the request.

	jobs := executor.NewJobs(a.Kube, a.Kube, a.Pods, executor.JobOptions{Namespace: a.jobsIn(pc)})
	late := time.AfterFunc(requestTimeout, cancel) // Until there is a log, it is a request like others.
	log, err := jobs.Logs(ctx, executor.Cluster{ID: pc.GetName(), Namespace: pc.GetNamespace()}, o)
	late.Stop()
	if err != nil {
		return noLog(err, pc, a.jobsIn(pc))
	}
	defer func() { _ = log.Close() }() // It was read.
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	if err := pass(w, log); err != nil && ctx.Err() == nil {
		panic(http.ErrAbortHandler) // Whoever reads has to see that this is not the end.
	}
	return nil
}

// notYet is the answer as long as there will be a log.
func notYet() *reply.Error {
	return reply.Errorf(http.StatusConflict, NotReady, "there is no log yet: the run has no pod, or that has not started")
}

// noLog says why there is none.
func noLog(err error, pc *v1alpha1.ProvisionedCluster, namespace string) error {
	s := pc.Status.AtProvider.RunStatus
	switch {
	case fault.Is(err, fault.Waiting) && (s == v1alpha1.RunSucceeded || s == v1alpha1.RunFailed), kerrors.IsNotFound(err):
		return reply.Errorf(http.StatusNotFound, reply.NotFound, "the log of run %s is gone with its pod", pc.Status.AtProvider.RunID)
	case fault.Is(err, fault.Waiting), kerrors.IsBadRequest(err):
		return notYet().Because(err)
	}
	return explain(err, "list pods or get pods/log", namespace)
}

// logOptions that the query says.
func logOptions(r *http.Request) (executor.LogOptions, error) {
	o := executor.LogOptions{}
	if s := r.URL.Query().Get("follow"); s != "" {
		f, err := strconv.ParseBool(s)
		if err != nil {
			return o, reply.Errorf(http.StatusBadRequest, reply.Invalid, "follow must be true or false")
		}
		o.Follow = f
	}
	var err error
	o.Tail, err = number(r, "tail", 0, maxTail)
	return o, err
}

// pass a log on, each part of it as soon as it is there. The server's own
// bound is for answers that are short; it would cut off the end of this one
// after a quiet time.
func pass(w http.ResponseWriter, log io.Reader) error {
	c := http.NewResponseController(w)
	defer func() { _ = inTime(c) }()  // What cannot be written is seen by whoever reads.
	if err := c.Flush(); err != nil { // The header: whoever follows knows that there is a log.
		return err
	}
	part := make([]byte, 32<<10)
	for {
		n, err := log.Read(part)
		if n > 0 {
			if err := write(w, c, part[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func write(w io.Writer, c *http.ResponseController, part []byte) error {
	if err := inTime(c); err != nil {
		return err
	}
	if _, err := w.Write(part); err != nil {
		return err
	}
	return c.Flush()
}

// inTime bounds how long the next part may take.
func inTime(c *http.ResponseController) error {
	err := c.SetWriteDeadline(time.Now().Add(writeTimeout))
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}
