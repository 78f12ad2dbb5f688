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
	"crypto/rand"
	"encoding/xml"
	"net/http"
	"strings"
	"time"
)

// Ids of all users and of all roles.
const (
	userID = "AIDALOCALCLOUD"
	roleID = "AROALOCALCLOUD"
)

// user is the unique id of a caller.
func (i identity) user() string {
	if _, name, ok := strings.Cut(i.arn, ":assumed-role/"); ok {
		return roleID + ":" + name[strings.LastIndex(name, "/")+1:]
	}
	return userID
}

// sessionFor is how long an assumed role lasts.
const sessionFor = time.Hour

func (c *Cloud) serveSTS(w http.ResponseWriter, r *http.Request, id identity) {
	switch op := param(r, "Action"); op {
	case "GetCallerIdentity":
		who := struct {
			ARN     string `json:"Arn"     xml:"Arn"`
			UserID  string `json:"UserId"  xml:"UserId"`
			Account string `json:"Account" xml:"Account"`
		}{id.arn, id.user(), id.account}
		// The verifier of EKS tokens asks for JSON.
		if strings.Contains(r.Header.Get("Accept"), "application/json") {
			writeJSON(w, http.StatusOK, map[string]any{"GetCallerIdentityResponse": map[string]any{
				"GetCallerIdentityResult": who, "ResponseMetadata": map[string]string{"RequestId": "local"},
			}})
			return
		}
		writeXML(w, http.StatusOK, struct {
			XMLName xml.Name `xml:"GetCallerIdentityResponse"`
			Result  any      `xml:"GetCallerIdentityResult"`
		}{Result: who})
	case "AssumeRole":
		c.assumeRole(w, r, id)
	default:
		writeError(w, r, serviceSTS, fail(400, "InvalidAction", "Could not find operation %s", op))
	}
}

func (c *Cloud) assumeRole(w http.ResponseWriter, r *http.Request, id identity) {
	arn := param(r, "RoleArn")
	var role *Role
	for i := range c.options.Roles {
		if c.options.Roles[i].ARN == arn {
			role = &c.options.Roles[i]
		}
	}
	if role == nil || (role.ExternalID != "" && role.ExternalID != param(r, "ExternalId")) {
		writeError(w, r, serviceSTS, fail(403, "AccessDenied", "User: %s is not authorized to perform: sts:AssumeRole on resource: %s", id.arn, arn))
		return
	}

	name := param(r, "RoleSessionName")
	k := Key{ID: "ASIA" + strings.ToUpper(rand.Text()[:16]), Secret: rand.Text(), Account: role.account()}
	s := session{
		key: k, token: rand.Text(), expires: c.options.Clock.Now().Add(sessionFor),
		arn: "arn:aws:sts::" + k.Account + ":assumed-role/" + role.name() + "/" + name,
	}
	c.mu.Lock()
	c.sessions[k.ID] = s
	c.mu.Unlock()

	type credentials struct {
		AccessKeyID string `xml:"AccessKeyId"`
		Secret      string `xml:"SecretAccessKey"`
		Token       string `xml:"SessionToken"`
		Expires     string `xml:"Expiration"`
	}
	type user struct {
		ARN string `xml:"Arn"`
		ID  string `xml:"AssumedRoleId"`
	}
	writeXML(w, http.StatusOK, struct {
		XMLName     xml.Name    `xml:"AssumeRoleResponse"`
		Credentials credentials `xml:"AssumeRoleResult>Credentials"`
		User        user        `xml:"AssumeRoleResult>AssumedRoleUser"`
	}{
		Credentials: credentials{k.ID, k.Secret, s.token, s.expires.UTC().Format(time.RFC3339)},
		User:        user{s.arn, roleID + ":" + name},
	})
}
