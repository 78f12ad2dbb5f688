# Control planes. A new image or new user data is for new machines: replacing
# these would take etcd's members away. So is another instance type, for which
# Terraform would stop all of them at once.

resource "aws_instance" "first" {
  ami                    = data.aws_ssm_parameter.image.insecure_value
  instance_type          = var.instance_type
  subnet_id              = local.control_plane_subnets[0]
  vpc_security_group_ids = [var.cluster_security_group_id, var.control_plane_security_group_id]
  iam_instance_profile   = var.control_plane_instance_profile
  user_data              = var.first_control_plane_user_data

  # Until the elastic IP is there, which keeps it true.
  associate_public_ip_address = local.balanced || !local.public ? null : true

  metadata_options {
    http_endpoint = "enabled"
    http_tokens   = "required"
    # Pods are one hop further away.
    http_put_response_hop_limit = 2
  }

  root_block_device {
    volume_type = "gp3"
    volume_size = var.node_volume_size_gib
    encrypted   = true
    tags        = var.tags
  }

  tags = merge(local.cluster_tag, { Name = "${var.cluster_name}-control-plane-0" })

  lifecycle {
    ignore_changes = [ami, instance_type, user_data, user_data_base64, associate_public_ip_address, subnet_id]
  }
}

resource "aws_instance" "further" {
  count = var.control_plane_count - 1

  ami                    = data.aws_ssm_parameter.image.insecure_value
  instance_type          = var.instance_type
  subnet_id              = local.control_plane_subnets[(count.index + 1) % length(local.control_plane_subnets)]
  vpc_security_group_ids = [var.cluster_security_group_id, var.control_plane_security_group_id]
  iam_instance_profile   = var.control_plane_instance_profile
  user_data              = var.control_plane_user_data[count.index]

  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 2
  }

  root_block_device {
    volume_type = "gp3"
    volume_size = var.node_volume_size_gib
    encrypted   = true
    tags        = var.tags
  }

  tags = merge(local.cluster_tag, { Name = "${var.cluster_name}-control-plane-${count.index + 1}" })

  lifecycle {
    ignore_changes = [ami, instance_type, user_data, user_data_base64, subnet_id]

    precondition {
      condition     = length(var.control_plane_user_data) == var.control_plane_count - 1
      error_message = "control_plane_user_data has one entry for each further control plane."
    }
  }
}

# The address of an only control plane.
resource "aws_eip" "api" {
  count = !local.balanced && local.public ? 1 : 0

  domain   = "vpc"
  instance = aws_instance.first.id

  tags = { Name = "${var.cluster_name}-api" }
}

# In a VPC without DNS names it reaches itself from outside.
resource "aws_vpc_security_group_ingress_rule" "own_address" {
  count = length(aws_eip.api)

  security_group_id = var.control_plane_security_group_id
  description       = "API server, from its own address"
  ip_protocol       = "tcp"
  from_port         = local.api_port
  to_port           = local.api_port
  cidr_ipv4         = "${aws_eip.api[count.index].public_ip}/32"
}
