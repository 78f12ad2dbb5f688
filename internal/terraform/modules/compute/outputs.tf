output "cluster_name" {
  description = "Name of the cluster."
  value       = var.cluster_name
}

output "endpoint" {
  description = "URL of the API server."
  value       = "https://${local.host}:${local.api_port}"
}
