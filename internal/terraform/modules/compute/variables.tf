variable "cluster_name" {
  type        = string
  description = "Name of the cluster in the account."
}

variable "kubernetes_version" {
  type        = string
  description = "Kubernetes version that new machines install, with its patch: 1.36.2."

  validation {
    condition     = can(regex("^1\\.[0-9]+\\.[0-9]+$", var.kubernetes_version))
    error_message = "kubernetes_version is a patch version, for instance 1.36.2."
  }
}

variable "network_id" {
  type        = string
  description = "Id of the VPC."
}

variable "public_subnet_ids" {
  type        = list(string)
  description = "Ids of the subnets with a route to the internet. With none the API endpoint is private."
}

variable "private_subnet_ids" {
  type        = list(string)
  description = "Ids of the subnets whose machines have no public address. With none the machines are in the public ones."
}

variable "cluster_security_group_id" {
  type        = string
  description = "Id of the security group of all machines."
}

variable "control_plane_security_group_id" {
  type        = string
  description = "Id of the security group of the control planes."
}

variable "load_balancer_security_group_ids" {
  type        = list(string)
  description = "Ids of the security groups of the load balancer."
  default     = []
}

variable "control_plane_instance_profile" {
  type        = string
  description = "Name of the control planes' instance profile."
}

variable "node_instance_profile" {
  type        = string
  description = "Name of the workers' instance profile."
}

variable "control_plane_count" {
  type        = number
  description = "Number of control-plane machines. More than one get a load balancer in front."

  validation {
    condition     = contains([1, 3, 5, 7], var.control_plane_count)
    error_message = "control_plane_count is 1, 3, 5 or 7: etcd needs an odd number of members."
  }
}

variable "node_count" {
  type        = number
  description = "Number of workers; the least number where max_node_count is larger."
}

variable "max_node_count" {
  type        = number
  description = "Largest number of workers that an autoscaler may ask for."
}

variable "instance_type" {
  type        = string
  description = "EC2 instance type of the machines. Control planes keep the one that they were made with."
}

variable "spot" {
  type        = bool
  description = "Whether workers are spot instances. Control planes never are."
  default     = false
}

variable "node_volume_size_gib" {
  type        = number
  description = "Size of each machine's root volume in GiB."

  validation {
    condition     = var.node_volume_size_gib >= 20
    error_message = "node_volume_size_gib is at least 20."
  }
}

variable "parameter_prefix" {
  type        = string
  description = "What the names of the cluster's SSM parameters begin with, /kubeopera/<cluster_name>/."
}

variable "load_balancer_name" {
  type        = string
  description = "Name of the load balancer."

  validation {
    condition     = length(var.load_balancer_name) <= 32
    error_message = "load_balancer_name has at most 32 characters."
  }
}

variable "target_group_name" {
  type        = string
  description = "Name of the load balancer's target group."

  validation {
    condition     = length(var.target_group_name) <= 32
    error_message = "target_group_name has at most 32 characters."
  }
}

variable "first_control_plane_user_data" {
  type        = string
  description = "User data of the first control plane. It is kept in the state: it holds no secret."
}

variable "control_plane_user_data" {
  type        = list(string)
  description = "User data of each further control plane."
  default     = []
}

variable "worker_user_data" {
  type        = string
  description = "User data of the workers."
}

variable "tags" {
  type        = map(string)
  description = "Tags for what the provider's default_tags do not reach: volumes, and the machines of the worker group."
  default     = {}
}
