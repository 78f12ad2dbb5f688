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
	"encoding/xml"
	"fmt"
	"net/http"
)

// An Error that a service answers with.
type Error struct {
	Status  int
	Code    string
	Message string
}

// Error returns the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

func fail(status int, code, format string, args ...any) *Error {
	return &Error{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// xmlError is an error in the words of S3, and part of those of others.
type xmlError struct {
	Type    string `xml:"Type,omitempty"`
	Code    string `xml:"Code"`
	Message string `xml:"Message"`
}

// writeError answers with an error in the form of a service.
func writeError(w http.ResponseWriter, r *http.Request, service string, e *Error) {
	plain := xmlError{Code: e.Code, Message: e.Message}
	switch service {
	case serviceSSM, serviceEKS:
		w.Header().Set("X-Amzn-Errortype", e.Code)
		writeJSON(w, e.Status, map[string]string{"__type": e.Code, "message": e.Message})
	case serviceSTS, serviceELB:
		plain.Type = "Sender"
		writeXML(w, e.Status, struct {
			XMLName xml.Name `xml:"ErrorResponse"`
			Error   xmlError
			ID      string `xml:"RequestId"`
		}{Error: plain, ID: "local"})
	case serviceEC2:
		writeXML(w, e.Status, struct {
			XMLName xml.Name   `xml:"Response"`
			Errors  []xmlError `xml:"Errors>Error"`
			ID      string     `xml:"RequestID"`
		}{Errors: []xmlError{plain}, ID: "local"})
	case serviceStorage:
		writeJSON(w, e.Status, map[string]any{"error": map[string]any{
			"code": e.Status, "message": e.Message, "errors": []map[string]string{{"reason": e.Code, "message": e.Message}},
		}})
	default:
		if r.Method == http.MethodHead {
			w.WriteHeader(e.Status)
			return
		}
		writeXML(w, e.Status, struct {
			XMLName xml.Name `xml:"Error"`
			xmlError
		}{xmlError: plain})
	}
}

func writeXML(w http.ResponseWriter, status int, v any) {
	data, err := xml.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = w.Write(append([]byte(xml.Header), data...))
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data)
}
