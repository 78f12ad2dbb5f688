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

package cloudtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of SSM: sizes of a value in bytes, and entries of one call.
const (
	standardSize = 4096
	advancedSize = 8192
	pageSize     = 10
)

type parameter struct {
	Name     string
	Value    string
	Type     string
	Tier     string
	Version  int64
	Modified time.Time
}

// ssmInput has the fields of all operations.
type ssmInput struct {
	Name           string   `json:"Name"`
	Value          string   `json:"Value"`
	Type           string   `json:"Type"`
	Tier           string   `json:"Tier"`
	Path           string   `json:"Path"`
	NextToken      string   `json:"NextToken"`
	Names          []string `json:"Names"`
	Overwrite      bool     `json:"Overwrite"`
	Recursive      bool     `json:"Recursive"`
	WithDecryption bool     `json:"WithDecryption"`
	MaxResults     int      `json:"MaxResults"`
}

func (c *Cloud) serveSSM(w http.ResponseWriter, r *http.Request, id identity) {
	in := ssmInput{}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		writeError(w, r, serviceSSM, fail(400, "SerializationException", "%s", err))
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := id.account + "/" + id.region + " "

	var out any
	var err *Error
	switch op := operationOf(r, serviceSSM); op {
	case "PutParameter":
		out, err = c.putParameter(at, in)
	case "GetParameter":
		p := c.params[at+in.Name]
		if p == nil {
			err = fail(400, "ParameterNotFound", "")
			break
		}
		out = map[string]any{"Parameter": p.seen(in.WithDecryption, id)}
	case "GetParameters":
		found, missing := []any{}, []string{}
		for _, n := range in.Names {
			if p := c.params[at+n]; p != nil {
				found = append(found, p.seen(in.WithDecryption, id))
			} else {
				missing = append(missing, n)
			}
		}
		out, err = map[string]any{"Parameters": found, "InvalidParameters": missing}, tooMany(in.Names)
	case "GetParametersByPath":
		out, err = c.parametersByPath(at, in, id)
	case "DeleteParameter":
		if c.params[at+in.Name] == nil {
			err = fail(400, "ParameterNotFound", "")
			break
		}
		delete(c.params, at+in.Name)
		out = map[string]any{}
	case "DeleteParameters":
		if err = tooMany(in.Names); err != nil {
			break
		}
		deleted, missing := []string{}, []string{}
		for _, n := range in.Names {
			if c.params[at+n] == nil {
				missing = append(missing, n)
				continue
			}
			delete(c.params, at+n)
			deleted = append(deleted, n)
		}
		out = map[string]any{"DeletedParameters": deleted, "InvalidParameters": missing}
	default:
		err = fail(400, "UnknownOperationException", "%s is not faked", op)
	}
	if err != nil {
		writeError(w, r, serviceSSM, err)
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	writeJSON(w, http.StatusOK, out)
}

func tooMany(names []string) *Error {
	if len(names) > pageSize {
		return fail(400, "ValidationException", "1 validation error detected: Value at 'names' failed to satisfy constraint: Member must have length less than or equal to 10")
	}
	return nil
}

func (c *Cloud) putParameter(at string, in ssmInput) (any, *Error) {
	old := c.params[at+in.Name]
	tier := in.Tier
	switch {
	case tier == "" || (tier == "Intelligent-Tiering" && len(in.Value) <= standardSize):
		tier = "Standard"
	case tier == "Intelligent-Tiering":
		tier = "Advanced"
	}
	switch {
	case !strings.HasPrefix(in.Name, "/") && strings.Contains(in.Name, "/"):
		return nil, fail(400, "ValidationException", "Parameter name must be a fully qualified name.")
	case in.Value == "":
		return nil, fail(400, "ValidationException", "Value must have length greater than or equal to 1.")
	case old != nil && !in.Overwrite:
		return nil, fail(400, "ParameterAlreadyExists", "The parameter already exists. To overwrite this value, set the overwrite option in the request to true.")
	case old == nil && in.Type == "":
		return nil, fail(400, "ValidationException", "A parameter type is required when you create a parameter.")
	case old != nil && old.Tier == "Advanced" && in.Tier == "Standard":
		return nil, fail(400, "ValidationException", "This parameter uses the advanced-parameter tier. You can't downgrade a parameter from the advanced-parameter tier to the standard-parameter tier.")
	case tier == "Standard" && len(in.Value) > standardSize:
		return nil, fail(400, "ValidationException", "Standard tier parameters support a maximum parameter value of 4096 characters. To create a larger parameter value, upgrade the parameter to use the advanced-parameter tier.")
	case len(in.Value) > advancedSize:
		return nil, fail(400, "ValidationException", "Advanced tier parameters support a maximum parameter value of 8192 characters.")
	}
	p := &parameter{Name: in.Name, Value: in.Value, Type: in.Type, Tier: tier, Version: 1, Modified: c.options.Clock.Now()}
	if old != nil {
		p.Version = old.Version + 1
		if p.Type == "" {
			p.Type = old.Type
		}
	}
	c.params[at+in.Name] = p
	return map[string]any{"Version": p.Version, "Tier": p.Tier}, nil
}

func (c *Cloud) parametersByPath(at string, in ssmInput, id identity) (any, *Error) {
	limit := pageSize
	if in.MaxResults > pageSize {
		return nil, fail(400, "ValidationException", "MaxResults must be less than or equal to 10")
	}
	if in.MaxResults > 0 {
		limit = in.MaxResults
	}
	prefix := strings.TrimSuffix(in.Path, "/") + "/"
	names := []string{}
	for k := range c.params {
		name, ok := strings.CutPrefix(k, at)
		rest, under := strings.CutPrefix(name, prefix)
		if ok && under && (in.Recursive || !strings.Contains(rest, "/")) {
			names = append(names, name)
		}
	}
	slices.Sort(names)

	// A token is the name of the last parameter: those after it come next,
	// whatever was deleted in between.
	i, found := slices.BinarySearch(names, in.NextToken)
	if found {
		i++
	}
	names = names[i:]
	out := map[string]any{}
	if len(names) > limit {
		names = names[:limit]
		out["NextToken"] = names[limit-1]
	}
	list := []any{}
	for _, n := range names {
		list = append(list, c.params[at+n].seen(in.WithDecryption, id))
	}
	out["Parameters"] = list
	return out, nil
}

// seen is a parameter as it is answered.
func (p *parameter) seen(decrypt bool, id identity) map[string]any {
	value := p.Value
	if p.Type == "SecureString" && !decrypt {
		value = "AQICAHencrypted" + strconv.FormatInt(p.Version, 10)
	}
	return map[string]any{
		"Name": p.Name, "Type": p.Type, "Value": value, "Version": p.Version, "DataType": "text",
		"ARN":              "arn:aws:ssm:" + id.region + ":" + id.account + ":parameter" + p.Name,
		"LastModifiedDate": float64(p.Modified.UnixMilli()) / 1000,
	}
}

// Parameters returns the names and values of all parameters of an account in a region.
func (c *Cloud) Parameters(account, region string) map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]string{}
	for k, p := range c.params {
		if strings.HasPrefix(k, account+"/"+region+" ") {
			out[p.Name] = p.Value
		}
	}
	return out
}

// SetParameter puts a SecureString there, of any size.
func (c *Cloud) SetParameter(account, region, name, value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.params[account+"/"+region+" "+name] = &parameter{
		Name: name, Value: value, Type: "SecureString", Tier: "Advanced", Version: 1, Modified: c.options.Clock.Now(),
	}
}
