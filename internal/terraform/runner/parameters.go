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

package runner

import (
	"context"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
)

func (c *awsCloud) Parameters(ctx context.Context, prefix string, names ...string) (map[string]string, error) {
	in := &ssm.GetParametersInput{WithDecryption: sdk.Bool(true)}
	for _, n := range names {
		in.Names = append(in.Names, prefix+n)
	}
	out, err := ssm.NewFromConfig(c.cfg).GetParameters(ctx, in)
	if err != nil {
		return nil, cloud.Wrap(err, "cannot read the parameters of the nodes")
	}
	values := map[string]string{}
	for _, p := range out.Parameters {
		values[sdk.ToString(p.Name)[len(prefix):]] = sdk.ToString(p.Value)
	}
	return values, nil
}

func (c *awsCloud) SetParameter(ctx context.Context, prefix, name, value string) error {
	client := ssm.NewFromConfig(c.cfg)
	if value == "" {
		// One that is not there is no error here.
		_, err := client.DeleteParameters(ctx, &ssm.DeleteParametersInput{Names: []string{prefix + name}})
		return cloud.Wrap(err, "cannot remove the parameter "+prefix+name)
	}
	_, err := client.PutParameter(ctx, &ssm.PutParameterInput{
		Name: sdk.String(prefix + name), Value: &value, Type: types.ParameterTypeString,
		Tier: types.ParameterTierIntelligentTiering, Overwrite: sdk.Bool(true),
	})
	return cloud.Wrap(err, "cannot write the parameter "+prefix+name)
}
