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

package cloud

import (
	"context"
	stderrors "errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	"google.golang.org/api/googleapi"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// Wrap says what could not be done in a cloud, and gives the error a class:
// Denied where rights are missing, Unreachable where nobody answers, and none
// (Failing) otherwise. It returns nil for nil, and keeps a class that is there.
func Wrap(err error, msg string) error {
	switch status := StatusOf(err); {
	case err == nil:
		return nil
	case fault.ClassOf(err) != fault.Failing:
		return errors.Wrap(err, msg)
	case status == http.StatusUnauthorized || status == http.StatusForbidden || CodeOf(err) == "AccessDeniedException" || CodeOf(err) == "UnauthorizedOperation":
		return fault.Wrap(short(err), fault.Denied, msg)
	case status == 0 && !stderrors.Is(err, context.Canceled):
		return fault.Newf(fault.Unreachable, "%s: %s", msg, root(err))
	default:
		return fault.Wrap(short(err), fault.Failing, msg)
	}
}

// short keeps of an error what the cloud itself says, without the SDK's story.
func short(err error) error {
	if api, ok := stderrors.AsType[smithy.APIError](err); ok {
		return errors.Errorf("%s: %s", api.ErrorCode(), api.ErrorMessage())
	}
	if api, ok := stderrors.AsType[*googleapi.Error](err); ok {
		return errors.Errorf("%d %s", api.Code, api.Message)
	}
	return err
}

// CodeOf returns the code of an error of AWS, or "".
func CodeOf(err error) string {
	if api, ok := stderrors.AsType[smithy.APIError](err); ok {
		return api.ErrorCode()
	}
	return ""
}

// StatusOf returns the HTTP status that a cloud answered with, or 0 if it did not answer.
func StatusOf(err error) int {
	if r, ok := stderrors.AsType[*awshttp.ResponseError](err); ok {
		return r.HTTPStatusCode()
	}
	if r, ok := stderrors.AsType[*googleapi.Error](err); ok {
		return r.Code
	}
	return 0
}

// IsTransient tells whether an error of a cloud may pass by itself: nobody
// answered, the service failed, or there were too many calls.
func IsTransient(err error) bool {
	_, throttled := retry.DefaultThrottleErrorCodes[CodeOf(err)]
	status := StatusOf(err)
	return throttled || status == 0 || status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}
