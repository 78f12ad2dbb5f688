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
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

type ec2Tag struct {
	Key   string `xml:"key"`
	Value string `xml:"value"`
}

func ec2Tags(m map[string]string) []ec2Tag {
	out := []ec2Tag{}
	for k, v := range m {
		out = append(out, ec2Tag{k, v})
	}
	return out
}

// tagged tells whether something has the tags and the state that filters ask for.
func tagged(l *Leftover, form url.Values) bool {
	for i := 1; form.Has(fmt.Sprintf("Filter.%d.Name", i)); i++ {
		name := form.Get(fmt.Sprintf("Filter.%d.Name", i))
		values := []string{}
		for j := 1; form.Has(fmt.Sprintf("Filter.%d.Value.%d", i, j)); j++ {
			values = append(values, form.Get(fmt.Sprintf("Filter.%d.Value.%d", i, j)))
		}
		var have bool
		switch key, isTag := strings.CutPrefix(name, "tag:"); {
		case isTag:
			have = slices.Contains(values, l.Tags[key])
		case name == "tag-key":
			have = slices.ContainsFunc(values, func(v string) bool { _, ok := l.Tags[v]; return ok })
		case name == "status":
			have = slices.Contains(values, l.Status)
		case name == "description":
			have = slices.Contains(values, l.Description)
		case name == "ip-permission.group-id":
			have = slices.ContainsFunc(values, func(v string) bool { return slices.Contains(l.Admits, v) })
		}
		if !have {
			return false
		}
	}
	return true
}

// ec2Item is a resource in the words of EC2, all kinds in one.
type ec2Item struct {
	XMLName     xml.Name        `xml:"item"`
	GroupID     string          `xml:"groupId,omitempty"`
	GroupName   string          `xml:"groupName,omitempty"`
	GroupText   string          `xml:"groupDescription,omitempty"`
	VolumeID    string          `xml:"volumeId,omitempty"`
	InterfaceID string          `xml:"networkInterfaceId,omitempty"`
	Description string          `xml:"description,omitempty"`
	Status      string          `xml:"status,omitempty"`
	Permissions []ec2Permission `xml:"ipPermissions>item"`
	Tags        []ec2Tag        `xml:"tagSet>item"`
}

type ec2Permission struct {
	Protocol string   `xml:"ipProtocol"`
	Groups   []string `xml:"groups>item>groupId"`
}

func (l *Leftover) ec2() ec2Item {
	i := ec2Item{Tags: ec2Tags(l.Tags), Status: l.Status}
	switch l.Kind {
	case SecurityGroup:
		i.GroupID, i.GroupName, i.GroupText = l.ID, l.ID, l.Description
		for _, g := range l.Admits {
			i.Permissions = append(i.Permissions, ec2Permission{Protocol: "-1", Groups: []string{g}})
		}
	case Volume:
		i.VolumeID = l.ID
	default:
		i.InterfaceID, i.Description = l.ID, l.Description
	}
	return i
}

func (c *Cloud) serveEC2(w http.ResponseWriter, r *http.Request, _ identity) {
	form := formOf(r)
	op := form.Get("Action")
	c.mu.Lock()
	defer c.mu.Unlock()

	var kind, set string
	var err *Error
	switch op {
	case "DescribeSecurityGroups":
		kind, set = SecurityGroup, "securityGroupInfo"
	case "DescribeVolumes":
		kind, set = Volume, "volumeSet"
	case "DescribeNetworkInterfaces":
		kind, set = NetworkInterface, "networkInterfaceSet"
	case "DeleteSecurityGroup":
		err = c.network.remove(SecurityGroup, form.Get("GroupId"), "InvalidGroup.NotFound")
	case "DeleteVolume":
		err = c.network.remove(Volume, form.Get("VolumeId"), "InvalidVolume.NotFound")
	case "DeleteNetworkInterface":
		err = c.network.remove(NetworkInterface, form.Get("NetworkInterfaceId"), "InvalidNetworkInterfaceID.NotFound")
	case "RevokeSecurityGroupIngress":
		if g := c.network.find(SecurityGroup, form.Get("GroupId")); g != nil {
			gone := form.Get("IpPermissions.1.Groups.1.GroupId")
			g.Admits = slices.DeleteFunc(g.Admits, func(id string) bool { return id == gone })
		}
	default:
		err = fail(400, "InvalidAction", "The action %s is not valid for this web service.", op)
	}
	if err != nil {
		writeError(w, r, serviceEC2, err)
		return
	}
	type list struct {
		XMLName xml.Name
		Items   []ec2Item
	}
	out := struct {
		XMLName xml.Name
		Return  bool `xml:"return"`
		List    *list
	}{XMLName: xml.Name{Local: op + "Response"}, Return: true}
	if set != "" {
		out.List = &list{XMLName: xml.Name{Local: set}}
		for _, l := range c.network.list(kind) {
			if tagged(l, form) {
				out.List.Items = append(out.List.Items, l.ec2())
			}
		}
	}
	writeXML(w, http.StatusOK, out)
}

// formOf returns the parameters of a call in the query protocol.
func formOf(r *http.Request) url.Values {
	body, err := peek(r)
	if err != nil {
		return url.Values{}
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return url.Values{}
	}
	return form
}
