# Add-ons. What a node needs to become ready is there before the nodes.

locals {
  before_nodes = ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"]
}

resource "aws_eks_addon" "before_nodes" {
  for_each = toset(local.before_nodes)

  cluster_name                = aws_eks_cluster.this.name
  addon_name                  = each.value
  resolve_conflicts_on_create = "OVERWRITE"
  resolve_conflicts_on_update = "OVERWRITE"
}

# These have pods of their own, and EKS reports them unhealthy without nodes.
resource "aws_eks_addon" "coredns" {
  count = var.node_count > 0 ? 1 : 0

  cluster_name                = aws_eks_cluster.this.name
  addon_name                  = "coredns"
  resolve_conflicts_on_create = "OVERWRITE"
  resolve_conflicts_on_update = "OVERWRITE"

  depends_on = [aws_eks_node_group.fixed, aws_eks_node_group.scaled]
}

resource "aws_eks_addon" "storage" {
  count = var.node_count > 0 ? 1 : 0

  cluster_name                = aws_eks_cluster.this.name
  addon_name                  = "aws-ebs-csi-driver"
  resolve_conflicts_on_create = "OVERWRITE"
  resolve_conflicts_on_update = "OVERWRITE"

  # The driver itself adds the cluster's tag, by which leftovers are found.
  configuration_values = jsonencode({ controller = { extraVolumeTags = var.tags } })

  pod_identity_association {
    role_arn        = aws_iam_role.storage.arn
    service_account = "ebs-csi-controller-sa"
  }

  depends_on = [aws_eks_node_group.fixed, aws_eks_node_group.scaled, aws_iam_role_policy_attachment.storage]
}

resource "aws_iam_role" "storage" {
  name_prefix = var.storage_role_prefix
  description = "EBS CSI driver of the EKS cluster ${var.cluster_name}"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = ["sts:AssumeRole", "sts:TagSession"]
      Principal = { Service = "pods.eks.amazonaws.com" }
    }]
  })
}

resource "aws_iam_role_policy_attachment" "storage" {
  role       = aws_iam_role.storage.name
  policy_arn = "${local.policies}/service-role/AmazonEBSCSIDriverPolicy"
}
