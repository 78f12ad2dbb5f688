# A VPC with a public and a private subnet in each of up to three zones, or a
# look at one that is there already.

locals {
  create = var.existing_network == null
  zones  = local.create ? slice(data.aws_availability_zones.available[0].names, 0, min(3, length(data.aws_availability_zones.available[0].names))) : []
  nats   = local.create ? (var.nat_per_zone ? length(local.zones) : 1) : 0

  # The cloud controller manager finds the subnets of a cluster by this tag.
  cluster_tag = { "kubernetes.io/cluster/${var.cluster_name}" = "owned" }
}

data "aws_availability_zones" "available" {
  count = local.create ? 1 : 0

  state = "available"
  # EKS takes no subnets in these zones
  # (docs.aws.amazon.com/eks/latest/userguide/network-reqs.html).
  exclude_zone_ids = ["use1-az3", "usw1-az2", "cac1-az3"]

  # No Local Zones or Wavelength Zones.
  filter {
    name   = "opt-in-status"
    values = ["opt-in-not-required"]
  }
}

resource "aws_vpc" "this" {
  count = local.create ? 1 : 0

  cidr_block           = var.network_cidr
  enable_dns_support   = true
  enable_dns_hostnames = true

  tags = { Name = var.cluster_name }
}

resource "aws_internet_gateway" "this" {
  count = local.create ? 1 : 0

  vpc_id = aws_vpc.this[0].id

  tags = { Name = var.cluster_name }
}

# A quarter of the network for each zone's machines; the last quarter is shared
# by what has to be public.
resource "aws_subnet" "private" {
  count = length(local.zones)

  vpc_id            = aws_vpc.this[0].id
  availability_zone = local.zones[count.index]
  cidr_block        = cidrsubnet(var.network_cidr, 2, count.index)

  tags = merge(local.cluster_tag, {
    Name                              = "${var.cluster_name}-private-${count.index}"
    "kubernetes.io/role/internal-elb" = "1"
  })

  lifecycle {
    # A zone that AWS adds later must not move a subnet.
    ignore_changes = [availability_zone]
  }
}

resource "aws_subnet" "public" {
  count = length(local.zones)

  vpc_id            = aws_vpc.this[0].id
  availability_zone = local.zones[count.index]
  cidr_block        = cidrsubnet(var.network_cidr, 4, 12 + count.index)

  tags = merge(local.cluster_tag, {
    Name                     = "${var.cluster_name}-public-${count.index}"
    "kubernetes.io/role/elb" = "1"
  })

  lifecycle {
    ignore_changes = [availability_zone]
  }
}

resource "aws_route_table" "public" {
  count = local.create ? 1 : 0

  vpc_id = aws_vpc.this[0].id

  tags = { Name = "${var.cluster_name}-public" }
}

resource "aws_route" "public" {
  count = local.create ? 1 : 0

  route_table_id         = aws_route_table.public[0].id
  destination_cidr_block = "0.0.0.0/0"
  gateway_id             = aws_internet_gateway.this[0].id
}

resource "aws_route_table_association" "public" {
  count = length(local.zones)

  route_table_id = aws_route_table.public[0].id
  subnet_id      = aws_subnet.public[count.index].id
}

resource "aws_eip" "nat" {
  count = local.nats

  domain = "vpc"

  tags = { Name = "${var.cluster_name}-nat-${count.index}" }

  # An address of a VPC needs its internet gateway, also when it is given back.
  depends_on = [aws_internet_gateway.this]
}

resource "aws_nat_gateway" "this" {
  count = local.nats

  allocation_id = aws_eip.nat[count.index].allocation_id
  subnet_id     = aws_subnet.public[count.index].id

  tags = { Name = "${var.cluster_name}-${count.index}" }

  depends_on = [aws_route.public, aws_route_table_association.public]
}

resource "aws_route_table" "private" {
  count = length(local.zones)

  vpc_id = aws_vpc.this[0].id

  tags = { Name = "${var.cluster_name}-private-${count.index}" }
}

resource "aws_route" "private" {
  count = length(local.zones)

  route_table_id         = aws_route_table.private[count.index].id
  destination_cidr_block = "0.0.0.0/0"
  nat_gateway_id         = aws_nat_gateway.this[count.index % local.nats].id
}

resource "aws_route_table_association" "private" {
  count = length(local.zones)

  route_table_id = aws_route_table.private[count.index].id
  subnet_id      = aws_subnet.private[count.index].id
}

# The given subnets of an existing VPC. A subnet of another VPC is not found.
data "aws_subnets" "given" {
  count = local.create ? 0 : 1

  filter {
    name   = "vpc-id"
    values = [var.existing_network.id]
  }
  filter {
    name   = "subnet-id"
    values = var.existing_network.subnet_ids
  }

  lifecycle {
    postcondition {
      condition     = length(self.ids) == length(var.existing_network.subnet_ids)
      error_message = "Not all of existingNetwork.subnetIDs are subnets of the VPC ${var.existing_network.id} in this region."
    }
  }
}

# Public are those that give a public address to what starts in them.
data "aws_subnets" "given_public" {
  count = local.create ? 0 : 1

  filter {
    name   = "vpc-id"
    values = [var.existing_network.id]
  }
  filter {
    name   = "subnet-id"
    values = var.existing_network.subnet_ids
  }
  filter {
    name   = "map-public-ip-on-launch"
    values = ["true"]
  }
}
