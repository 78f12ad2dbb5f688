# A managed node group.

locals {
  scaled = var.max_node_count > var.node_count

  arm   = contains(data.aws_ec2_instance_type.this.supported_architectures, "arm64")
  gpu   = length(data.aws_ec2_instance_type.this.gpus) > 0
  image = local.arm ? (local.gpu ? "AL2023_ARM_64_NVIDIA" : "AL2023_ARM_64_STANDARD") : (local.gpu ? "AL2023_x86_64_NVIDIA" : "AL2023_x86_64_STANDARD")
}

data "aws_ec2_instance_type" "this" {
  instance_type = var.instance_type
}

resource "aws_iam_role" "node" {
  name_prefix = var.node_role_prefix
  description = "Nodes of the EKS cluster ${var.cluster_name}"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { Service = "ec2.amazonaws.com" }
    }]
  })
}

resource "aws_iam_role_policy_attachment" "node" {
  for_each = toset(["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryPullOnly"])

  role       = aws_iam_role.node.name
  policy_arn = "${local.policies}/${each.value}"
}

resource "aws_launch_template" "node" {
  name_prefix = "${var.cluster_name}-node-"
  description = "Nodes of the EKS cluster ${var.cluster_name}"

  metadata_options {
    http_endpoint = "enabled"
    http_tokens   = "required"
    # Pods are one hop further away.
    http_put_response_hop_limit = 2
  }

  block_device_mappings {
    # The root device of Amazon Linux 2023.
    device_name = "/dev/xvda"

    ebs {
      volume_type           = "gp3"
      volume_size           = var.node_volume_size_gib
      encrypted             = "true"
      delete_on_termination = "true"
    }
  }

  dynamic "tag_specifications" {
    for_each = toset(["instance", "volume"])

    content {
      resource_type = tag_specifications.value
      tags          = merge(var.tags, { Name = "${var.cluster_name}-node" })
    }
  }

  lifecycle {
    create_before_destroy = true
  }
}

# A fixed number of nodes.
resource "aws_eks_node_group" "fixed" {
  count = local.scaled ? 0 : 1

  cluster_name           = aws_eks_cluster.this.name
  version                = aws_eks_cluster.this.version
  node_group_name_prefix = "nodes-"
  node_role_arn          = aws_iam_role.node.arn
  subnet_ids             = local.subnets
  instance_types         = [var.instance_type]
  capacity_type          = var.spot ? "SPOT" : "ON_DEMAND"
  ami_type               = local.image

  scaling_config {
    min_size     = var.node_count
    desired_size = var.node_count
    # EKS takes no 0 here.
    max_size = max(var.node_count, 1)
  }

  update_config {
    max_unavailable = 1
  }

  launch_template {
    id      = aws_launch_template.node.id
    version = aws_launch_template.node.latest_version
  }

  lifecycle {
    create_before_destroy = true
  }

  depends_on = [aws_iam_role_policy_attachment.node, aws_eks_addon.before_nodes]
}

# A number that an autoscaler moves between node_count and max_node_count. EKS
# refuses a least number above the one that runs, and Terraform must not set
# that one back: a new least number makes a new group, before the old one goes.
resource "terraform_data" "least" {
  input = var.node_count
}

resource "aws_eks_node_group" "scaled" {
  count = local.scaled ? 1 : 0

  cluster_name           = aws_eks_cluster.this.name
  version                = aws_eks_cluster.this.version
  node_group_name_prefix = "nodes-"
  node_role_arn          = aws_iam_role.node.arn
  subnet_ids             = local.subnets
  instance_types         = [var.instance_type]
  capacity_type          = var.spot ? "SPOT" : "ON_DEMAND"
  ami_type               = local.image

  scaling_config {
    min_size     = var.node_count
    desired_size = var.node_count
    max_size     = var.max_node_count
  }

  update_config {
    max_unavailable = 1
  }

  launch_template {
    id      = aws_launch_template.node.id
    version = aws_launch_template.node.latest_version
  }

  # The cluster autoscaler finds its groups by these.
  tags = {
    "k8s.io/cluster-autoscaler/enabled"             = "true"
    "k8s.io/cluster-autoscaler/${var.cluster_name}" = "owned"
  }

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [scaling_config[0].desired_size]
    replace_triggered_by  = [terraform_data.least]
  }

  depends_on = [aws_iam_role_policy_attachment.node, aws_eks_addon.before_nodes]
}
