variable "cluster_name" {
  type        = string
  description = "Name of the cluster in the account; names and tags begin with it."

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,39}$", var.cluster_name))
    error_message = "cluster_name has at most 40 lower-case letters, digits and hyphens, a letter first."
  }
}

variable "network_cidr" {
  type        = string
  description = "IPv4 network of the VPC that is made, 16 to 24 bits. Not used with existing_network."
  default     = "10.0.0.0/16"

  validation {
    condition     = can(cidrsubnet(var.network_cidr, 4, 15))
    error_message = "network_cidr is an IPv4 network of 16 to 24 bits, for instance 10.0.0.0/16."
  }
}

variable "nat_per_zone" {
  type        = bool
  description = "Whether each zone has a NAT gateway of its own, so that the loss of a zone is no loss for the others."
  default     = false
}

variable "existing_network" {
  type = object({
    id         = string
    subnet_ids = list(string)
  })
  description = "A VPC and subnets of it that are there already. They are looked up and never changed."
  default     = null
}

variable "tags" {
  type        = map(string)
  description = "Tags for every resource. The built-in module gets them from the provider's default_tags."
  default     = {}
}
