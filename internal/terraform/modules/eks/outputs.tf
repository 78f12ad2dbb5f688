output "cluster_name" {
  description = "Name of the cluster."
  value       = aws_eks_cluster.this.name
}

output "endpoint" {
  description = "URL of the API server."
  value       = aws_eks_cluster.this.endpoint

  # Who asks for it may get in.
  depends_on = [aws_eks_access_policy_association.admin]
}

output "cluster_ca" {
  description = "Certificate of the cluster's CA, PEM in base64."
  value       = aws_eks_cluster.this.certificate_authority[0].data
}
