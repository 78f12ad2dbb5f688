output "cluster_name" {
  description = "Name of the cluster."
  value       = google_container_cluster.this.name
}

output "endpoint" {
  description = "URL of the API server."
  value       = "https://${google_container_cluster.this.endpoint}"

  # A cluster without nodes runs nothing.
  depends_on = [google_container_node_pool.nodes]
}

output "cluster_ca" {
  description = "Certificate of the cluster's CA, PEM in base64."
  value       = google_container_cluster.this.master_auth[0].cluster_ca_certificate
}
