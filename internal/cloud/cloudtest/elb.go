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
)

// classicVersion is the version of the API of classic load balancers.
const classicVersion = "2012-06-01"

type elbTag struct{ Key, Value string }

// elbItem is a resource in the words of both APIs, all kinds in one.
type elbItem struct {
	XMLName xml.Name `xml:"member"`
	ARN     string   `xml:"LoadBalancerArn,omitempty"`
	Name    string   `xml:"LoadBalancerName,omitempty"`
	Group   string   `xml:"TargetGroupArn,omitempty"`
	// Of descriptions of tags.
	Resource string   `xml:"ResourceArn,omitempty"`
	Tags     []elbTag `xml:"Tags>member"`
}

func (c *Cloud) serveELB(w http.ResponseWriter, r *http.Request, _ identity) {
	form := formOf(r)
	op := form.Get("Action")
	classic := form.Get("Version") == classicVersion
	c.mu.Lock()
	defer c.mu.Unlock()

	set, items := "", []elbItem{}
	var err *Error
	switch {
	case op == "DescribeLoadBalancers" && classic:
		set = "LoadBalancerDescriptions"
		for _, l := range c.network.list(ClassicLoadBalancer) {
			items = append(items, elbItem{Name: l.ID})
		}
	case op == "DescribeLoadBalancers":
		set = "LoadBalancers"
		for _, l := range c.network.list(LoadBalancer) {
			items = append(items, elbItem{ARN: l.ID})
		}
	case op == "DescribeTargetGroups":
		set = "TargetGroups"
		for _, l := range c.network.list(TargetGroup) {
			items = append(items, elbItem{Group: l.ID})
		}
	case op == "DescribeTags":
		set = "TagDescriptions"
		items, err = c.elbTags(form, classic)
	case op == "DeleteLoadBalancer" && classic:
		// There is no error for one that is gone.
		_ = c.network.remove(ClassicLoadBalancer, form.Get("LoadBalancerName"), "")
	case op == "DeleteLoadBalancer":
		_ = c.network.remove(LoadBalancer, form.Get("LoadBalancerArn"), "")
	case op == "DeleteTargetGroup":
		err = c.network.remove(TargetGroup, form.Get("TargetGroupArn"), "TargetGroupNotFound")
		if err != nil && err.Code == "DependencyViolation" {
			err.Code = "ResourceInUse"
		}
	default:
		err = fail(400, "InvalidAction", "Could not find operation %s", op)
	}
	if err != nil {
		writeError(w, r, serviceELB, err)
		return
	}
	type list struct {
		XMLName xml.Name
		Items   []elbItem
	}
	type result struct {
		XMLName xml.Name
		List    *list
	}
	out := struct {
		XMLName xml.Name
		Result  result
	}{XMLName: xml.Name{Local: op + "Response"}, Result: result{XMLName: xml.Name{Local: op + "Result"}}}
	if set != "" {
		out.Result.List = &list{XMLName: xml.Name{Local: set}, Items: items}
	}
	writeXML(w, http.StatusOK, out)
}

// elbTags describes the tags of up to 20 resources, as both APIs allow.
func (c *Cloud) elbTags(form url.Values, classic bool) ([]elbItem, *Error) {
	field := "ResourceArns"
	if classic {
		field = "LoadBalancerNames"
	}
	items := []elbItem{}
	for i := 1; form.Has(fmt.Sprintf("%s.member.%d", field, i)); i++ {
		if i > 20 {
			return nil, fail(400, "ValidationError", "Member must have length less than or equal to 20")
		}
		id := form.Get(fmt.Sprintf("%s.member.%d", field, i))
		item := elbItem{Resource: id}
		if classic {
			item = elbItem{Name: id}
		}
		for _, l := range c.network.all {
			if l.ID == id {
				for k, v := range l.Tags {
					item.Tags = append(item.Tags, elbTag{k, v})
				}
			}
		}
		items = append(items, item)
	}
	return items, nil
}
