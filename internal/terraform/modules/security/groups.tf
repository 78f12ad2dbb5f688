# Security groups. The cloud controller manager wants exactly one with the
# cluster's tag on each instance: it adds the rules of load balancers to it.

locals {
  api_port = 6443
  balanced = var.control_plane_count > 1

  # What admits clients to the API servers: the load balancer's group, or that
  # of the only control plane.
  front = local.balanced ? aws_security_group.load_balancer[0].id : aws_security_group.control_plane.id
}

resource "aws_security_group" "cluster" {
  name_prefix = "${var.cluster_name}-"
  description = "Machines of the cluster ${var.cluster_name}, among each other"
  vpc_id      = var.network_id

  tags = {
    Name                                        = var.cluster_name
    "kubernetes.io/cluster/${var.cluster_name}" = "owned"
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_vpc_security_group_ingress_rule" "cluster" {
  security_group_id            = aws_security_group.cluster.id
  description                  = "Everything among the machines of the cluster"
  ip_protocol                  = "-1"
  referenced_security_group_id = aws_security_group.cluster.id
}

resource "aws_vpc_security_group_egress_rule" "cluster" {
  security_group_id = aws_security_group.cluster.id
  description       = "Packages, images and the APIs of the cloud"
  ip_protocol       = "-1"
  cidr_ipv4         = "0.0.0.0/0"
}

resource "aws_vpc_security_group_egress_rule" "cluster_ipv6" {
  security_group_id = aws_security_group.cluster.id
  description       = "Packages, images and the APIs of the cloud"
  ip_protocol       = "-1"
  cidr_ipv6         = "::/0"
}

resource "aws_security_group" "control_plane" {
  name_prefix = "${var.cluster_name}-control-plane-"
  description = "API servers of the cluster ${var.cluster_name}"
  vpc_id      = var.network_id

  tags = { Name = "${var.cluster_name}-control-plane" }

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_security_group" "load_balancer" {
  count = local.balanced ? 1 : 0

  name_prefix = "${var.cluster_name}-api-"
  description = "Load balancer of the API servers of the cluster ${var.cluster_name}"
  vpc_id      = var.network_id

  tags = { Name = "${var.cluster_name}-api" }

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_vpc_security_group_ingress_rule" "api" {
  for_each = toset(var.api_server_allowed_cidrs)

  security_group_id = local.front
  description       = "API server"
  ip_protocol       = "tcp"
  from_port         = local.api_port
  to_port           = local.api_port
  cidr_ipv4         = strcontains(each.value, ":") ? null : each.value
  cidr_ipv6         = strcontains(each.value, ":") ? each.value : null
}

# The machines in private subnets reach a public endpoint from outside.
resource "aws_vpc_security_group_ingress_rule" "api_nat" {
  count = contains(var.api_server_allowed_cidrs, "0.0.0.0/0") ? 0 : length(var.nat_public_ips)

  security_group_id = local.front
  description       = "API server, from the cluster's own NAT gateway"
  ip_protocol       = "tcp"
  from_port         = local.api_port
  to_port           = local.api_port
  cidr_ipv4         = "${var.nat_public_ips[count.index]}/32"
}

resource "aws_vpc_security_group_ingress_rule" "api_cluster" {
  security_group_id            = local.front
  description                  = "API server, from the cluster's own machines"
  ip_protocol                  = "tcp"
  from_port                    = local.api_port
  to_port                      = local.api_port
  referenced_security_group_id = aws_security_group.cluster.id
}

resource "aws_vpc_security_group_ingress_rule" "load_balancer" {
  count = local.balanced ? 1 : 0

  security_group_id            = aws_security_group.control_plane.id
  description                  = "API server, from the load balancer"
  ip_protocol                  = "tcp"
  from_port                    = local.api_port
  to_port                      = local.api_port
  referenced_security_group_id = aws_security_group.load_balancer[0].id
}

resource "aws_vpc_security_group_egress_rule" "load_balancer" {
  count = local.balanced ? 1 : 0

  security_group_id            = aws_security_group.load_balancer[0].id
  description                  = "API servers and their health"
  ip_protocol                  = "tcp"
  from_port                    = local.api_port
  to_port                      = local.api_port
  referenced_security_group_id = aws_security_group.control_plane.id
}
