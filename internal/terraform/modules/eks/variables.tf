variable "cluster_name" {
  type        = string
  description = "Name of the EKS cluster."

  validation {
    condition     = can(regex("^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$", var.cluster_name))
    error_message = "cluster_name has at most 100 letters, digits, hyphens and underscores."
  }
}

variable "kubernetes_version" {
  type        = string
  description = "Kubernetes minor version, 1.36."

  validation {
    condition     = can(regex("^1\\.[0-9]+$", var.kubernetes_version))
    error_message = "kubernetes_version is a minor version, for instance 1.36."
  }
}

variable "public_subnet_ids" {
  type        = list(string)
  description = "Ids of the subnets with a route to the internet."
}

variable "private_subnet_ids" {
  type        = list(string)
  description = "Ids of the subnets whose machines have no public address. With none everything is in the public ones."
}

variable "api_server_allowed_cidrs" {
  type        = list(string)
  description = "IPv4 networks that may reach the public endpoint, 40 at most."

  validation {
    condition     = length(var.api_server_allowed_cidrs) <= 40 && alltrue([for c in var.api_server_allowed_cidrs : can(cidrnetmask(c))])
    error_message = "api_server_allowed_cidrs are up to 40 IPv4 networks, for instance 203.0.113.0/24."
  }
}

variable "admin_role_arn" {
  type        = string
  description = "ARN of the IAM role that gets into the cluster as its administrator. If empty, it is whoever runs this."
  default     = ""
}

variable "cluster_role_prefix" {
  type        = string
  description = "What the name of the control plane's IAM role begins with."

  validation {
    condition     = length(var.cluster_role_prefix) <= 38
    error_message = "cluster_role_prefix has at most 38 characters."
  }
}

variable "node_role_prefix" {
  type        = string
  description = "What the name of the nodes' IAM role begins with."

  validation {
    condition     = length(var.node_role_prefix) <= 38
    error_message = "node_role_prefix has at most 38 characters."
  }
}

variable "storage_role_prefix" {
  type        = string
  description = "What the name of the EBS CSI driver's IAM role begins with."

  validation {
    condition     = length(var.storage_role_prefix) <= 38
    error_message = "storage_role_prefix has at most 38 characters."
  }
}

variable "node_count" {
  type        = number
  description = "Number of nodes; the least number where max_node_count is larger."
}

variable "max_node_count" {
  type        = number
  description = "Largest number of nodes that an autoscaler may ask for."
}

variable "instance_type" {
  type        = string
  description = "EC2 instance type of the nodes."
}

variable "spot" {
  type        = bool
  description = "Whether nodes are spot instances."
  default     = false
}

variable "node_volume_size_gib" {
  type        = number
  description = "Size of each node's root volume in GiB."

  validation {
    condition     = var.node_volume_size_gib >= 20
    error_message = "node_volume_size_gib is at least 20."
  }
}

variable "tags" {
  type        = map(string)
  description = "Tags for what the provider's default_tags do not reach: the nodes and their volumes."
  default     = {}
}
