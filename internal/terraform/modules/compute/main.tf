# The machines of a kubeadm cluster. They set themselves up from their user
# data, which is static: what is known only when they exist is in the SSM
# parameter "endpoint".

locals {
  api_port = 6443
  balanced = var.control_plane_count > 1
  public   = length(var.public_subnet_ids) > 0

  # Machines are in private subnets where there are any. An only control plane
  # has the public address of the cluster, so it is in a public one.
  node_subnets          = length(var.private_subnet_ids) > 0 ? var.private_subnet_ids : var.public_subnet_ids
  control_plane_subnets = local.balanced || !local.public ? local.node_subnets : var.public_subnet_ids

  # The DNS name of an elastic IP is the private address inside of the VPC, so
  # the machines' own traffic stays inside.
  host = local.balanced ? aws_lb.api[0].dns_name : (local.public ? aws_eip.api[0].public_dns : aws_instance.first.private_ip)

  architecture = contains(data.aws_ec2_instance_type.this.supported_architectures, "arm64") ? "arm64" : "x86_64"
  image        = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-${local.architecture}"

  made_with = regex("^1\\.[0-9]+", terraform_data.version.output)
  asked_for = regex("^1\\.[0-9]+", var.kubernetes_version)

  # The cloud controller manager knows the machines by this tag.
  cluster_tag = { "kubernetes.io/cluster/${var.cluster_name}" = "owned" }
}

data "aws_ec2_instance_type" "this" {
  instance_type = var.instance_type
}

data "aws_ssm_parameter" "image" {
  name = local.image
}

# The version that the cluster was made with. Terraform can not upgrade kubeadm
# nodes in place, and workers must never be of a newer minor version than their
# API server. A new patch is for new workers.
resource "terraform_data" "version" {
  input = var.kubernetes_version

  lifecycle {
    ignore_changes = [input]
  }
}

# The machines wait for this one, and join each other through it.
resource "aws_ssm_parameter" "endpoint" {
  name           = "${var.parameter_prefix}endpoint"
  description    = "API endpoint of the cluster ${var.cluster_name}, host and port"
  type           = "String"
  insecure_value = "${local.host}:${local.api_port}"
}
