output "network_id" {
  description = "Id of the VPC."
  value       = local.create ? aws_vpc.this[0].id : var.existing_network.id
}

output "public_subnet_ids" {
  description = "Ids of the subnets with a route to the internet; may be none in a VPC that was there."
  value       = local.create ? aws_subnet.public[*].id : data.aws_subnets.given_public[0].ids

  # What starts in a subnet needs its way out, and what is in it goes first.
  depends_on = [aws_route.public, aws_route_table_association.public]
}

output "private_subnet_ids" {
  description = "Ids of the subnets whose machines have no public address; may be none in a VPC that was there."
  value       = local.create ? aws_subnet.private[*].id : tolist(setsubtract(data.aws_subnets.given[0].ids, data.aws_subnets.given_public[0].ids))

  depends_on = [aws_route.private, aws_route_table_association.private]
}

output "nat_public_ips" {
  description = "Addresses that machines in private subnets have outside; not known of a VPC that was there."
  value       = aws_eip.nat[*].public_ip
}
