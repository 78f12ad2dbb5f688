# The sandbox's cloud has no networks: a machine is where it is.
variable "cluster_name" {
  type        = string
  description = "What the cluster is called."
}

variable "network_cidr" {
  type        = string
  description = "Network of the cluster."
  default     = ""
}

variable "nat_per_zone" {
  type        = bool
  description = "Ignored."
  default     = false
}

variable "existing_network" {
  type        = object({ id = string, subnet_ids = list(string) })
  description = "Network that is there already."
  default     = null
}

variable "tags" {
  type        = map(string)
  description = "Ignored."
  default     = {}
}

resource "terraform_data" "network" {
  input = { cluster = var.cluster_name, cidr = var.network_cidr }
}

output "network_id" {
  value = terraform_data.network.id
}

output "nat_public_ips" {
  value = []
}

output "public_subnet_ids" {
  value = ["public"]
}

output "private_subnet_ids" {
  value = ["private"]
}
