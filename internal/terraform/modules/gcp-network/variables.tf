variable "cluster_name" {
  type        = string
  description = "Name of the cluster in the project; names begin with it."

  validation {
    condition     = can(regex("^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$", var.cluster_name))
    error_message = "cluster_name has at most 40 lower-case letters, digits and hyphens, a letter first."
  }
}

variable "project" {
  type        = string
  description = "Id of the project."
}

variable "region" {
  type        = string
  description = "Region of the subnet."
}

variable "network_cidr" {
  type        = string
  description = "IPv4 network of the nodes. Not used with existing_network."
  default     = "10.0.0.0/16"

  validation {
    condition     = can(cidrnetmask(var.network_cidr))
    error_message = "network_cidr is an IPv4 network, for instance 10.0.0.0/16."
  }
}

variable "pods_cidr" {
  type        = string
  description = "IPv4 network of the pods, a secondary range. Not used with existing_network."
  default     = "10.64.0.0/14"

  validation {
    condition     = can(cidrnetmask(var.pods_cidr))
    error_message = "pods_cidr is an IPv4 network, for instance 10.64.0.0/14."
  }
}

variable "services_cidr" {
  type        = string
  description = "IPv4 network of the services, a secondary range. Not used with existing_network."
  default     = "10.96.0.0/20"

  validation {
    condition     = can(cidrnetmask(var.services_cidr))
    error_message = "services_cidr is an IPv4 network, for instance 10.96.0.0/20."
  }
}

variable "existing_network" {
  type = object({
    id             = string
    subnet_id      = string
    pods_range     = string
    services_range = string
  })
  description = "A network, a subnet of it and two secondary ranges of that one, which are there already. They are named and never changed."
  default     = null
}

variable "labels" {
  type        = map(string)
  description = "Labels for every resource. The built-in module gets them from the provider's default_labels."
  default     = {}
}
