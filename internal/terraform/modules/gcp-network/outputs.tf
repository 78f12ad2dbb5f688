output "network_id" {
  description = "Name or path of the network."
  value       = local.create ? google_compute_network.this[0].id : var.existing_network.id
}

output "subnet_id" {
  description = "Name or path of the subnet."
  value       = local.create ? google_compute_subnetwork.this[0].id : var.existing_network.subnet_id

  # Private nodes need their way out to become ready, and until they are gone.
  depends_on = [google_compute_router_nat.this]
}

output "pods_range" {
  description = "Name of the secondary range of the pods."
  value       = local.create ? "pods" : var.existing_network.pods_range
}

output "services_range" {
  description = "Name of the secondary range of the services; empty for the range that GKE manages."
  value       = local.create ? "services" : var.existing_network.services_range
}
