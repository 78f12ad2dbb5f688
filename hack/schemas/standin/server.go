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

package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// server is the provider. What it does not have (functions, ephemeral
// resources, imports) the embedded interface panics for.
type server struct {
	tfprotov6.ProviderServer

	schemas *schemas
}

func (s *server) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	r := &tfprotov6.GetMetadataResponse{ServerCapabilities: &tfprotov6.ServerCapabilities{}}
	for name := range s.schemas.resources {
		r.Resources = append(r.Resources, tfprotov6.ResourceMetadata{TypeName: name})
	}
	for name := range s.schemas.data {
		r.DataSources = append(r.DataSources, tfprotov6.DataSourceMetadata{TypeName: name})
	}
	return r, nil
}

func (s *server) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return &tfprotov6.GetProviderSchemaResponse{
		ServerCapabilities: &tfprotov6.ServerCapabilities{},
		Provider:           s.schemas.provider, ResourceSchemas: s.schemas.resources, DataSourceSchemas: s.schemas.data,
	}, nil
}

func (s *server) GetResourceIdentitySchemas(context.Context, *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{}, nil
}

func (s *server) GetFunctions(context.Context, *tfprotov6.GetFunctionsRequest) (*tfprotov6.GetFunctionsResponse, error) {
	return &tfprotov6.GetFunctionsResponse{}, nil
}

func (s *server) ValidateProviderConfig(_ context.Context, r *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: r.Config}, nil
}

func (s *server) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (s *server) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

func (s *server) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (s *server) ValidateDataResourceConfig(context.Context, *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return &tfprotov6.ValidateDataResourceConfigResponse{}, nil
}

func (s *server) UpgradeResourceState(_ context.Context, r *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	t := s.schemas.resources[r.TypeName].ValueType()
	v, err := r.RawState.Unmarshal(t)
	if err != nil {
		return nil, err
	}
	d, err := tfprotov6.NewDynamicValue(t, v)
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &d}, err
}

func (s *server) ReadResource(_ context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{NewState: r.CurrentState, Private: r.Private}, nil
}

// PlanResourceChange knows nothing yet of what is computed of a new resource.
func (s *server) PlanResourceChange(_ context.Context, r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	schema := s.schemas.resources[r.TypeName]
	prior, err := r.PriorState.IsNull()
	if err != nil {
		return nil, err
	}
	none, err := r.ProposedNewState.IsNull()
	if err != nil {
		return nil, err
	}
	if none || !prior {
		return &tfprotov6.PlanResourceChangeResponse{PlannedState: r.ProposedNewState, PlannedPrivate: r.PriorPrivate}, nil
	}
	d, err := fill(schema, r.ProposedNewState, func(a *tfprotov6.SchemaAttribute) tftypes.Value {
		return tftypes.NewValue(a.ValueType(), tftypes.UnknownValue)
	})
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: d, PlannedPrivate: r.PriorPrivate}, err
}

// ApplyResourceChange makes up what is computed.
func (s *server) ApplyResourceChange(_ context.Context, r *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	none, err := r.PlannedState.IsNull()
	if err != nil || none {
		return &tfprotov6.ApplyResourceChangeResponse{NewState: r.PlannedState}, err
	}
	d, err := fill(s.schemas.resources[r.TypeName], r.PlannedState, func(a *tfprotov6.SchemaAttribute) tftypes.Value {
		return madeUp(r.TypeName, a.Name, a.ValueType())
	})
	return &tfprotov6.ApplyResourceChangeResponse{NewState: d, Private: r.PlannedPrivate}, err
}

func (s *server) ReadDataSource(_ context.Context, r *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	schema := s.schemas.data[r.TypeName]
	config, err := r.Config.Unmarshal(schema.ValueType())
	if err != nil {
		return nil, err
	}
	d, err := fill(schema, r.Config, func(a *tfprotov6.SchemaAttribute) tftypes.Value {
		if v, ok := answer(r.TypeName, a.Name, config); ok {
			return v
		}
		return madeUp("data."+r.TypeName, a.Name, a.ValueType())
	})
	return &tfprotov6.ReadDataSourceResponse{State: d}, err
}
