output "cluster_security_group_id" {
  description = "Id of the security group of all machines, the one with the cluster's tag."
  value       = aws_security_group.cluster.id

  # A machine starts when its rules are there.
  depends_on = [aws_vpc_security_group_ingress_rule.cluster, aws_vpc_security_group_egress_rule.cluster]
}

output "control_plane_security_group_id" {
  description = "Id of the security group that admits clients to the API servers."
  value       = aws_security_group.control_plane.id

  depends_on = [aws_vpc_security_group_ingress_rule.api, aws_vpc_security_group_ingress_rule.api_cluster, aws_vpc_security_group_ingress_rule.load_balancer]
}

output "load_balancer_security_group_ids" {
  description = "Ids of the security groups of the load balancer; none with one control plane."
  value       = aws_security_group.load_balancer[*].id

  depends_on = [aws_vpc_security_group_ingress_rule.api, aws_vpc_security_group_egress_rule.load_balancer]
}

output "control_plane_instance_profile" {
  description = "Name of the control planes' instance profile."
  value       = aws_iam_instance_profile.control_plane.name

  # Rights are there before, and until after, the machines that use them.
  depends_on = [
    aws_iam_role_policy.control_plane_parameters,
    aws_iam_role_policy.control_plane_cloud,
    aws_iam_role_policy.control_plane_volumes,
  ]
}

output "node_instance_profile" {
  description = "Name of the workers' instance profile."
  value       = aws_iam_instance_profile.node.name

  depends_on = [
    aws_iam_role_policy.node_parameters,
    aws_iam_role_policy.node_cloud,
    aws_iam_role_policy.node_volumes,
  ]
}
