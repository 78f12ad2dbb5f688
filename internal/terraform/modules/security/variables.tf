variable "cluster_name" {
  type        = string
  description = "Name of the cluster in the account."
}

variable "network_id" {
  type        = string
  description = "Id of the VPC."
}

variable "nat_public_ips" {
  type        = list(string)
  description = "Addresses that the cluster's machines have outside, which reach its API servers, too."
  default     = []
}

variable "control_plane_count" {
  type        = number
  description = "Number of control-plane machines; more than one are behind a load balancer."

  validation {
    condition     = contains([1, 3, 5, 7], var.control_plane_count)
    error_message = "control_plane_count is 1, 3, 5 or 7: etcd needs an odd number of members."
  }
}

variable "api_server_allowed_cidrs" {
  type        = list(string)
  description = "Networks that may reach the API servers, IPv4 or IPv6."

  validation {
    condition     = alltrue([for c in var.api_server_allowed_cidrs : can(cidrhost(c, 0))])
    error_message = "api_server_allowed_cidrs are networks, for instance 203.0.113.0/24."
  }
}

variable "parameter_prefix" {
  type        = string
  description = "What the names of the cluster's SSM parameters begin with, /kubeopera/<cluster_name>/."

  validation {
    condition     = can(regex("^/.+/$", var.parameter_prefix))
    error_message = "parameter_prefix begins and ends with a slash."
  }
}

variable "control_plane_role_prefix" {
  type        = string
  description = "What the name of the control planes' IAM role begins with."

  validation {
    condition     = length(var.control_plane_role_prefix) <= 38
    error_message = "control_plane_role_prefix has at most 38 characters."
  }
}

variable "node_role_prefix" {
  type        = string
  description = "What the name of the workers' IAM role begins with."

  validation {
    condition     = length(var.node_role_prefix) <= 38
    error_message = "node_role_prefix has at most 38 characters."
  }
}

variable "tags" {
  type        = map(string)
  description = "Tags for every resource. The built-in module gets them from the provider's default_tags."
  default     = {}
}
