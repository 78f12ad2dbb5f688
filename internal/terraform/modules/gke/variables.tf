variable "cluster_name" {
  type        = string
  description = "Name of the GKE cluster."

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
  description = "Region of the cluster."
}

variable "zone" {
  type        = string
  description = "The one zone of a zonal cluster. Without it the cluster is regional, with nodes in up to three zones."
  default     = null
}

variable "kubernetes_version" {
  type        = string
  description = "Kubernetes minor version, 1.36. The release channel chooses the patch and keeps it new."

  validation {
    condition     = can(regex("^1\\.[0-9]+$", var.kubernetes_version))
    error_message = "kubernetes_version is a minor version, for instance 1.36."
  }
}

variable "network_id" {
  type        = string
  description = "Name or path of the network."
}

variable "subnet_id" {
  type        = string
  description = "Name or path of the subnet."
}

variable "pods_range" {
  type        = string
  description = "Name of the secondary range of the pods."
}

variable "services_range" {
  type        = string
  description = "Name of the secondary range of the services; empty for the range that GKE manages."
}

variable "control_plane_cidr" {
  type        = string
  description = "IPv4 network of 28 bits for the control plane's inner addresses."

  validation {
    condition     = can(cidrnetmask(var.control_plane_cidr)) && endswith(var.control_plane_cidr, "/28")
    error_message = "control_plane_cidr is an IPv4 network of 28 bits, for instance 172.31.255.240/28."
  }
}

variable "service_account_id" {
  type        = string
  description = "Id of the service account that is made for the nodes."

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.service_account_id))
    error_message = "service_account_id has 6 to 30 lower-case letters, digits and hyphens, a letter first."
  }
}

variable "api_server_allowed_cidrs" {
  type        = list(string)
  description = "IPv4 networks that may reach the API server. With none all may."
  default     = []

  validation {
    condition     = alltrue([for c in var.api_server_allowed_cidrs : can(cidrnetmask(c))])
    error_message = "api_server_allowed_cidrs are IPv4 networks, for instance 203.0.113.0/24."
  }
}

variable "node_count" {
  type        = number
  description = "Number of nodes in all zones together; the least number where max_node_count is larger."
}

variable "max_node_count" {
  type        = number
  description = "Largest number of nodes in all zones together that GKE's autoscaler may make."
}

variable "instance_type" {
  type        = string
  description = "Machine type of the nodes."
}

variable "spot" {
  type        = bool
  description = "Whether nodes are spot machines."
  default     = false
}

variable "node_volume_size_gib" {
  type        = number
  description = "Size of each node's boot disk in GiB."

  validation {
    condition     = var.node_volume_size_gib >= 20
    error_message = "node_volume_size_gib is at least 20."
  }
}

variable "labels" {
  type        = map(string)
  description = "Labels for what the provider's default_labels do not reach: the nodes and their disks."
  default     = {}
}
