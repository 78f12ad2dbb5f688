# An EKS cluster: the control plane with its log, its key and who gets in.

data "aws_partition" "current" {}

data "aws_caller_identity" "current" {}

locals {
  subnets = length(var.private_subnet_ids) > 0 ? var.private_subnet_ids : var.public_subnet_ids

  # Who assumed a role calls as arn:aws:sts::<account>:assumed-role/<role>/<session>;
  # an access entry wants arn:aws:iam::<account>:role/<role>.
  session = try(regex("^arn:[^:]+:sts::[0-9]+:assumed-role/([^/]+)/", data.aws_caller_identity.current.arn)[0], "")
  caller  = local.session == "" ? data.aws_caller_identity.current.arn : "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:role/${local.session}"
  admin   = var.admin_role_arn != "" ? var.admin_role_arn : local.caller

  policies = "arn:${data.aws_partition.current.partition}:iam::aws:policy"
}

resource "aws_iam_role" "cluster" {
  name_prefix = var.cluster_role_prefix
  description = "Control plane of the EKS cluster ${var.cluster_name}"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { Service = "eks.amazonaws.com" }
    }]
  })
}

resource "aws_iam_role_policy_attachment" "cluster" {
  role       = aws_iam_role.cluster.name
  policy_arn = "${local.policies}/AmazonEKSClusterPolicy"
}

resource "aws_kms_key" "this" {
  description             = "Secrets of the EKS cluster ${var.cluster_name}"
  enable_key_rotation     = true
  deletion_window_in_days = 7
}

# EKS would make the log group itself, to keep for ever and past a destroy.
resource "aws_cloudwatch_log_group" "this" {
  name              = "/aws/eks/${var.cluster_name}/cluster"
  retention_in_days = 30
}

resource "aws_eks_cluster" "this" {
  name                      = var.cluster_name
  version                   = var.kubernetes_version
  role_arn                  = aws_iam_role.cluster.arn
  enabled_cluster_log_types = ["api", "audit", "authenticator"]
  # They come as add-ons below.
  bootstrap_self_managed_addons = false

  access_config {
    authentication_mode                         = "API"
    bootstrap_cluster_creator_admin_permissions = false
  }

  vpc_config {
    subnet_ids              = local.subnets
    endpoint_private_access = true
    endpoint_public_access  = true
    public_access_cidrs     = var.api_server_allowed_cidrs
  }

  encryption_config {
    resources = ["secrets"]

    provider {
      key_arn = aws_kms_key.this.arn
    }
  }

  # The rights are there before the cluster and until it is gone: without them
  # EKS leaves its network interfaces behind.
  depends_on = [aws_iam_role_policy_attachment.cluster, aws_cloudwatch_log_group.this]
}

resource "aws_eks_access_entry" "admin" {
  cluster_name  = aws_eks_cluster.this.name
  principal_arn = local.admin
}

resource "aws_eks_access_policy_association" "admin" {
  cluster_name  = aws_eks_cluster.this.name
  principal_arn = aws_eks_access_entry.admin.principal_arn
  policy_arn    = "arn:${data.aws_partition.current.partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"

  access_scope {
    type = "cluster"
  }
}

# So that service accounts can assume IAM roles.
resource "aws_iam_openid_connect_provider" "this" {
  url            = aws_eks_cluster.this.identity[0].oidc[0].issuer
  client_id_list = ["sts.amazonaws.com"]
}
