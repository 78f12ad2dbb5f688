# The sandbox's cloud has no rights and no firewalls.
variable "cluster_name" {
  type        = string
  description = "What the cluster is called."
}

variable "network_id" {
  type        = string
  description = "Ignored, as all that follows."
}

variable "nat_public_ips" {
  type    = list(string)
  default = []
}

variable "control_plane_count" {
  type = number
}

variable "api_server_allowed_cidrs" {
  type = list(string)
}

variable "parameter_prefix" {
  type = string
}

variable "control_plane_role_prefix" {
  type = string
}

variable "node_role_prefix" {
  type = string
}

variable "tags" {
  type    = map(string)
  default = {}
}

resource "terraform_data" "security" {
  input = { cluster = var.cluster_name, network = var.network_id }
}

output "cluster_security_group_id" {
  value = terraform_data.security.id
}

output "control_plane_security_group_id" {
  value = terraform_data.security.id
}

output "load_balancer_security_group_ids" {
  value = []
}

output "control_plane_instance_profile" {
  value = "none"
}

output "node_instance_profile" {
  value = "none"
}
