# The machines of a kubeadm cluster. They set themselves up from their user
# data, which is static: what is known only when they exist is in the SSM
# parameter "endpoint".
#
# Control planes upgrade themselves: terraform-runner asks them to, and waits,
# before it applies another version. A worker that is newer than a control plane
# does not join until that has caught up.

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

  # The cloud controller manager knows the machines by this tag.
  cluster_tag = { "kubernetes.io/cluster/${var.cluster_name}" = "owned" }
}

data "aws_ec2_instance_type" "this" {
  instance_type = var.instance_type
}

data "aws_ssm_parameter" "image" {
  name = local.image
}

# The machines wait for this one, and join each other through it.
resource "aws_ssm_parameter" "endpoint" {
  name           = "${var.parameter_prefix}endpoint"
  description    = "API endpoint of the cluster ${var.cluster_name}, host and port"
  type           = "String"
  insecure_value = "${local.host}:${local.api_port}"
}
