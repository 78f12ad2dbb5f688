# IAM roles of the machines, with no more rights than their programs need.

data "aws_partition" "current" {}

data "aws_region" "current" {}

data "aws_caller_identity" "current" {}

locals {
  parameters = "arn:${data.aws_partition.current.partition}:ssm:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:parameter${var.parameter_prefix}"

  assume = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { Service = "ec2.amazonaws.com" }
    }]
  })

  # A condition that holds for what carries the cluster's tag.
  owned = { StringEquals = { "aws:ResourceTag/kubernetes.io/cluster/${var.cluster_name}" = "owned" } }

  volume   = "arn:${data.aws_partition.current.partition}:ec2:*:*:volume/*"
  snapshot = "arn:${data.aws_partition.current.partition}:ec2:*:*:snapshot/*"

  # What the EBS CSI driver needs (github.com/kubernetes-sigs/aws-ebs-csi-driver,
  # docs/example-iam-policy.json). Its controller runs on the control planes or
  # on the workers, with the role of the machine. It has to run with
  # controller.k8sTagClusterId set to the cluster's name.
  volumes = [
    {
      Effect = "Allow"
      Action = [
        "ec2:DescribeAvailabilityZones", "ec2:DescribeInstances", "ec2:DescribeSnapshots",
        "ec2:DescribeTags", "ec2:DescribeVolumes", "ec2:DescribeVolumesModifications",
      ]
      Resource = "*"
    },
    {
      # What is made carries the cluster's tag from the start.
      Effect    = "Allow"
      Action    = ["ec2:CreateVolume", "ec2:CreateSnapshot"]
      Resource  = [local.volume, local.snapshot]
      Condition = { StringEquals = { "aws:RequestTag/kubernetes.io/cluster/${var.cluster_name}" = "owned" } }
    },
    {
      # A snapshot of one of the cluster's volumes, and a volume out of that.
      Effect    = "Allow"
      Action    = ["ec2:CreateVolume", "ec2:CreateSnapshot"]
      Resource  = [local.volume, local.snapshot]
      Condition = local.owned
    },
    {
      Effect    = "Allow"
      Action    = ["ec2:CreateTags"]
      Resource  = [local.volume, local.snapshot]
      Condition = { StringEquals = { "ec2:CreateAction" = ["CreateVolume", "CreateSnapshot"] } }
    },
    {
      Effect    = "Allow"
      Action    = ["ec2:AttachVolume", "ec2:DetachVolume", "ec2:DeleteVolume", "ec2:ModifyVolume"]
      Resource  = local.volume
      Condition = local.owned
    },
    {
      Effect    = "Allow"
      Action    = ["ec2:AttachVolume", "ec2:DetachVolume"]
      Resource  = "arn:${data.aws_partition.current.partition}:ec2:*:*:instance/*"
      Condition = local.owned
    },
    {
      Effect    = "Allow"
      Action    = ["ec2:DeleteSnapshot"]
      Resource  = local.snapshot
      Condition = local.owned
    },
  ]
}

resource "aws_iam_role" "control_plane" {
  name_prefix        = var.control_plane_role_prefix
  description        = "Control planes of the cluster ${var.cluster_name}"
  assume_role_policy = local.assume
}

resource "aws_iam_instance_profile" "control_plane" {
  name_prefix = var.control_plane_role_prefix
  role        = aws_iam_role.control_plane.name
}

# The control planes hand over join data and the kubeconfig.
resource "aws_iam_role_policy" "control_plane_parameters" {
  name = "parameters"
  role = aws_iam_role.control_plane.name
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = ["ssm:GetParameter", "ssm:GetParameters", "ssm:GetParametersByPath", "ssm:PutParameter", "ssm:DeleteParameter"]
      Resource = ["${local.parameters}*", trimsuffix(local.parameters, "/")]
    }]
  })
}

# What the AWS cloud controller manager needs on a control plane
# (cloud-provider-aws.sigs.k8s.io/prerequisites): nodes and load balancers.
# What it changes carries the cluster's tag, or is made with it.
resource "aws_iam_role_policy" "control_plane_cloud" {
  name = "cloud-controller-manager"
  role = aws_iam_role.control_plane.name
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect = "Allow"
        Action = [
          "autoscaling:DescribeAutoScalingGroups", "autoscaling:DescribeLaunchConfigurations", "autoscaling:DescribeTags",
          "ec2:DescribeAvailabilityZones", "ec2:DescribeInstances", "ec2:DescribeInstanceTopology", "ec2:DescribeRegions",
          "ec2:DescribeRouteTables", "ec2:DescribeSecurityGroups", "ec2:DescribeSubnets", "ec2:DescribeVolumes", "ec2:DescribeVpcs",
          "elasticloadbalancing:Describe*",
          "kms:DescribeKey",
        ]
        Resource = "*"
      },
      {
        # IAM knows no condition that holds for each of these calls: load
        # balancers are told apart by names that the controller makes.
        Effect = "Allow"
        Action = [
          "ec2:CreateSecurityGroup",
          "elasticloadbalancing:AddTags", "elasticloadbalancing:ApplySecurityGroupsToLoadBalancer",
          "elasticloadbalancing:AttachLoadBalancerToSubnets", "elasticloadbalancing:ConfigureHealthCheck",
          "elasticloadbalancing:CreateListener", "elasticloadbalancing:CreateLoadBalancer",
          "elasticloadbalancing:CreateLoadBalancerListeners", "elasticloadbalancing:CreateLoadBalancerPolicy",
          "elasticloadbalancing:CreateTargetGroup", "elasticloadbalancing:DeleteListener",
          "elasticloadbalancing:DeleteLoadBalancer", "elasticloadbalancing:DeleteLoadBalancerListeners",
          "elasticloadbalancing:DeleteTargetGroup", "elasticloadbalancing:DeregisterInstancesFromLoadBalancer",
          "elasticloadbalancing:DeregisterTargets", "elasticloadbalancing:DetachLoadBalancerFromSubnets",
          "elasticloadbalancing:ModifyListener", "elasticloadbalancing:ModifyLoadBalancerAttributes",
          "elasticloadbalancing:ModifyTargetGroup", "elasticloadbalancing:ModifyTargetGroupAttributes",
          "elasticloadbalancing:RegisterInstancesWithLoadBalancer", "elasticloadbalancing:RegisterTargets",
          "elasticloadbalancing:SetLoadBalancerPoliciesForBackendServer", "elasticloadbalancing:SetLoadBalancerPoliciesOfListener",
          "elasticloadbalancing:SetSecurityGroups",
        ]
        Resource = "*"
      },
      {
        Effect    = "Allow"
        Action    = ["ec2:CreateTags"]
        Resource  = "arn:${data.aws_partition.current.partition}:ec2:*:*:security-group/*"
        Condition = { StringEquals = { "ec2:CreateAction" = "CreateSecurityGroup" } }
      },
      {
        Effect    = "Allow"
        Action    = ["ec2:CreateTags", "ec2:AuthorizeSecurityGroupIngress", "ec2:RevokeSecurityGroupIngress", "ec2:DeleteSecurityGroup"]
        Resource  = "*"
        Condition = local.owned
      },
    ]
  })
}

resource "aws_iam_role_policy" "control_plane_volumes" {
  name   = "volumes"
  role   = aws_iam_role.control_plane.name
  policy = jsonencode({ Version = "2012-10-17", Statement = local.volumes })
}

resource "aws_iam_role" "node" {
  name_prefix        = var.node_role_prefix
  description        = "Workers of the cluster ${var.cluster_name}"
  assume_role_policy = local.assume
}

resource "aws_iam_instance_profile" "node" {
  name_prefix = var.node_role_prefix
  role        = aws_iam_role.node.name
}

# What a worker joins with, never the kubeconfig or the control planes' keys.
resource "aws_iam_role_policy" "node_parameters" {
  name = "parameters"
  role = aws_iam_role.node.name
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = ["ssm:GetParameter", "ssm:GetParameters"]
      Resource = [for p in ["endpoint", "failure", "join/ca", "join/worker", "version"] : "${local.parameters}${p}"]
    }]
  })
}

resource "aws_iam_role_policy" "node_cloud" {
  name = "cloud"
  role = aws_iam_role.node.name
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect   = "Allow"
        Action   = ["ec2:DescribeInstances", "ec2:DescribeRegions"]
        Resource = "*"
      },
      {
        Effect = "Allow"
        Action = [
          "ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:DescribeRepositories", "ecr:GetAuthorizationToken",
          "ecr:GetDownloadUrlForLayer", "ecr:GetRepositoryPolicy", "ecr:ListImages",
        ]
        Resource = "*"
      },
    ]
  })
}

resource "aws_iam_role_policy" "node_volumes" {
  name   = "volumes"
  role   = aws_iam_role.node.name
  policy = jsonencode({ Version = "2012-10-17", Statement = local.volumes })
}
